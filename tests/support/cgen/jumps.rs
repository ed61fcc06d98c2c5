//! `goto`: forward, backward, into loops and branches, out of nests, and loops with two entries. What a jump passes over
//! is always in braces, so no initialiser is skipped.

use super::Gen;
use crate::support::kinds::Kind;

impl Gen {
    pub(super) fn jump(&mut self, depth: u32) {
        // The labels' surroundings are not the loop's body as C sees it, but `break` and `continue` still bind to it.
        match self.rng.below(7) {
            0 => self.forward(depth),
            1 => self.backward(depth),
            2 => self.entering_loop(depth),
            3 => self.entering_branch(depth),
            4 => self.irreducible(depth),
            5 => self.out_of_nest(depth),
            _ => self.duff(depth),
        }
    }

    fn fuel(&mut self, trips: usize) -> String {
        let name = self.fresh("n");
        self.line(format!("int {name} = {trips};"));
        self.add_local(name.clone(), Kind::Int);
        self.vars.iter_mut().filter(|var| var.name == name).for_each(|var| var.read_only = true);
        name
    }

    fn forward(&mut self, depth: u32) {
        self.cov.hit("statement", "goto-forward");
        let (label, condition) = (self.fresh("L"), self.condition());
        self.line(format!("if ({condition}) goto {label};"));
        self.braced(1, depth);
        self.line(format!("{label}: ;"));
    }

    fn backward(&mut self, depth: u32) {
        self.cov.hit("statement", "goto-backward");
        let label = self.fresh("L");
        self.open("");
        self.scoped(|gen| {
            let fuel = gen.fuel(3);
            gen.line(format!("{label}:"));
            gen.outside_loops(4, |gen| gen.braced(1, depth));
            let condition = gen.expr(2, super::Class::Any).at(6);
            gen.line(format!("if ({fuel}-- > 0 && {condition}) goto {label};"));
        });
        self.close();
    }

    /// Runs `trips` times without being the body of a loop statement.
    fn outside_loops(&mut self, trips: u64, make: impl FnOnce(&mut Self)) {
        let mult = self.mult;
        self.mult *= trips;
        make(self);
        self.mult = mult;
    }

    fn entering_loop(&mut self, depth: u32) {
        self.cov.hit("statement", "goto-into-loop");
        let label = self.fresh("L");
        self.open("");
        self.scoped(|gen| {
            let fuel = gen.fuel(2);
            let condition = gen.condition();
            gen.line(format!("if ({condition}) goto {label};"));
            let head = gen.rng.pick(&["for (; {}-- > 0;)", "while ({}-- > 0)"]).replace("{}", &fuel);
            gen.open(head);
            gen.repeated(3, |gen| {
                gen.braced(1, depth);
                gen.line(format!("{label}: ;"));
                gen.braced(1, depth);
            });
            gen.close();
        });
        self.close();
    }

    fn entering_branch(&mut self, depth: u32) {
        self.cov.hit("statement", "goto-into-branch");
        let (label, condition) = (self.fresh("L"), self.condition());
        self.open(format!("if ({condition})"));
        self.braced(1, depth);
        self.line(format!("{label}: ;"));
        self.braced(1, depth);
        self.close_with("else {");
        self.indent += 1;
        self.braced(1, 0);
        let second = self.condition();
        self.line(format!("if ({second}) goto {label};"));
        self.close();
    }

    fn irreducible(&mut self, depth: u32) {
        self.cov.hit("statement", "goto-irreducible");
        let (first, second) = (self.fresh("L"), self.fresh("L"));
        self.open("");
        self.scoped(|gen| {
            let fuel = gen.fuel(4);
            let condition = gen.condition();
            gen.line(format!("if ({condition}) goto {second};"));
            gen.line(format!("{first}:"));
            gen.outside_loops(4, |gen| gen.braced(1, depth));
            gen.line(format!("{second}:"));
            gen.outside_loops(5, |gen| gen.braced(1, 0));
            let again = gen.expr(1, super::Class::Any).text;
            gen.open(format!("if ({fuel}-- > 0)"));
            gen.line(format!("if ({again}) goto {first};"));
            gen.line(format!("goto {second};"));
            gen.close();
        });
        self.close();
    }

    fn out_of_nest(&mut self, depth: u32) {
        self.cov.hit("statement", "goto-out");
        let label = self.fresh("out");
        let (outer, inner) = (self.fresh("i"), self.fresh("i"));
        self.scoped(|gen| {
            gen.open(format!("for (int {outer} = 0; {outer} < 3; {outer}++)"));
            gen.open(format!("for (int {inner} = 0; {inner} < 3; {inner}++)"));
            gen.repeated(9, |gen| {
                gen.statements(1, depth);
                let condition = gen.expr(2, super::Class::Any).text;
                gen.line(format!("if ({condition}) goto {label};"));
            });
            gen.close();
            gen.close();
        });
        self.line(format!("{label}: ;"));
    }
}
