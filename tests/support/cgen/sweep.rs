//! Functions that are called with everything they distinguish: a `switch` for every value around its cases, static
//! locals over several calls.

use super::control::Labels;
use super::Gen;
use crate::support::kinds::INTS;

impl Gen {
    /// Defines the functions; their calls wait in `sweeps` for `main`.
    pub(super) fn sweeping_functions(&mut self) {
        self.switch_sweep();
        self.static_sweep();
    }

    fn switch_sweep(&mut self) {
        let (name, kind) = (self.fresh("s"), self.rng.pick(&INTS));
        self.cov.hit("switch on", kind.label());
        self.open(format!("static int {name}({} x)", kind.c_name()));
        self.line("int r = 1;");
        self.open("switch (x)");
        let mut labels = Labels::default();
        let cases = 3 + self.rng.below(3);
        let default_at = self.rng.below(cases + 1);
        for case in 0..cases {
            let label = if case == default_at { "default:".to_string() } else { labels.next(self, kind) };
            let exit = if self.rng.chance(65) { " break;" } else { "" };
            self.line(format!("{label} r = r * 3 + {case};{exit}"));
        }
        self.close();
        self.line("return r;");
        self.close();
        self.sweeps.push(format!("for (int x = -3; x < 14; x++) out({name}(x));"));
    }

    fn static_sweep(&mut self) {
        let (name, local) = (self.fresh("s"), self.fresh("v"));
        let (kind, result) = (self.any_kind(), self.any_kind());
        let start = 1 + self.rng.below(90);
        let step = self.rng.pick(&["{} += 3", "{}++", "{} = {} * 2 + 1"]).replace("{}", &local);
        self.cov.hit("declaration", "static local");
        let declaration = format!("static {} {local} = {start};", kind.c_name());
        let (c_result, converted) = match (kind.is_float(), result.is_float()) {
            // A float converted to an integer type might leave its range.
            (true, false) => (kind.c_name(), kind),
            _ => (result.c_name(), result),
        };
        let body = if self.rng.chance(50) {
            format!("{declaration} {step}; return {local};")
        } else {
            format!("{{ {declaration} {step}; return {local}; }}")
        };
        self.line(format!("static {c_result} {name}(void) {{ {body} }}"));
        let observer = if converted.is_float() { "real" } else { "out" };
        self.sweeps.push(format!("for (int x = 0; x < 4; x++) {observer}({name}());"));
    }
}
