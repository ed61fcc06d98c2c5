//! `--test FILE`: a counterexample as a C program that gcc compiles and that aborts at the violated property.
//!
//! The program is the preprocessed source with small edits. Every unknown value of the run has a site with a place in
//! the source; there the edited text takes the values of the trace, in the order of the run, from tables at the top of
//! the file (`emit`). What a site is follows from its name and from what the source declares at its place (`sites`).
//! Functions that are only declared get definitions that do nothing, `--check` properties are observed with gcc's
//! sanitizers, and everything else is as it was, line markers included.
//!
//! The test is one translation unit. Values that no edit of the source can bring about (what a read outside an array
//! gives, the count of a shift by too much) are left to gcc, and a note says so.

mod emit;
mod memory;
mod places;
mod sites;
mod text;

use crate::args::CheckArgs;
use crate::load::{self, Loaded};
use memory::Made;
use places::Places;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use syncline_engines::evidence::replay;
use syncline_engines::task::Trace;
use syncline_frontend::hir::{Loc, Obj, Storage, Unit};
use syncline_frontend::lower::MemoryMap;
use syncline_frontend::{layout, parse, preprocess, reactive, sema, types};
use syncline_ir::interp::{Observer, Outcome};
use syncline_ir::{Const, Origin, Place, Proc, Program, Prop, PropKind, Site};
use text::{Editor, Spot};

/// Values a test can hold.
const MAX_VALUES: usize = 1 << 20;
/// How long the run may take to be repeated.
const REPLAY_TIME: Duration = Duration::from_secs(60);

/// A test that was written.
pub struct Test {
    /// Why it may not do what it should, in the user's words.
    pub notes: Vec<String>,
}

/// Writes the test of a violated property; the error says why there can be none.
pub fn write(args: &CheckArgs, loaded: &Loaded, prop: Prop, trace: &Trace, to: &Path) -> Result<Test, String> {
    let [file] = args.input.files.as_slice() else {
        return Err("a test is one file, and the program has several".into());
    };
    if loaded.program.system.is_some() {
        return Err("the trace of a synchronous system is no run of a C program".into());
    }
    let recorded = record(loaded, prop, trace)?;
    let options = load::source_options(&args.input);
    let text = match &loaded.harness {
        Some(harness) => reactive::harnessed(file, harness, &options),
        None => preprocess::preprocess(file, &options),
    };
    let text = text.map_err(|e| e.to_string())?;
    let work = || {
        let unit = sema::analyse_texts(std::slice::from_ref(file), vec![text.clone()], &options);
        let unit = unit.map_err(|e| e.to_string())?;
        let mut maker = Maker::new(loaded, &unit, Editor::new(text, &file.display().to_string()), recorded);
        maker.make(prop)?;
        Ok::<_, String>(maker.finish(args, prop, to))
    };
    let (bytes, notes) = parse::on_big_stack(work).map_err(|e| format!("no thread for the front end: {e}"))??;
    std::fs::write(to, bytes).map_err(|e| format!("{}: {e}", to.display()))?;
    Ok(Test { notes })
}

/// The values of each site in the order of the run.
type Recorded = BTreeMap<Site, Vec<Const>>;

/// Notes inputs and objects that are made.
struct Recorder<'a> {
    map: &'a MemoryMap,
    inputs: Recorded,
    count: usize,
    made: Made,
}

impl Observer for Recorder<'_> {
    fn input(&mut self, site: Site, value: &Const, _: Origin) {
        self.count += 1;
        if self.count <= MAX_VALUES {
            self.inputs.entry(site).or_default().push(value.clone());
        }
    }

    fn write(&mut self, _: Proc, place: Place, index: Option<u128>, value: &Const, origin: Origin) {
        if let (Place::Global(var), Some(slot)) = (place, index) {
            self.made.written(self.map, var, slot, value, origin);
        }
    }
}

/// The inputs of the run, those included that the trace leaves at zero, and the objects it makes.
fn record(loaded: &Loaded, prop: Prop, trace: &Trace) -> Result<(Recorded, Made), String> {
    let mut recorder = Recorder { map: &loaded.map, inputs: Recorded::new(), count: 0, made: Made::default() };
    let deadline = Instant::now() + REPLAY_TIME;
    match replay::run(&loaded.program, trace, &mut recorder, Some(deadline)) {
        Outcome::Violated(p) if p == prop => {}
        _ => return Err("the run could not be repeated in time".into()),
    }
    if recorder.count > MAX_VALUES {
        return Err(format!("the run takes in more than {MAX_VALUES} values"));
    }
    Ok((recorder.inputs, recorder.made))
}

/// A test being made.
struct Maker<'a> {
    program: &'a Program,
    unit: &'a Unit,
    editor: Editor,
    places: Places,
    map: &'a MemoryMap,
    inputs: Recorded,
    made: Made,
    /// Tables of what unknown pointers point to, by the place they come from.
    blocks: BTreeMap<Spot, u32>,
    /// Locals in memory that were set to zero before their parts.
    cleared: BTreeSet<Obj>,
    /// How many external objects were given contents.
    externals: u32,
    /// C before the program, after the runtime: tables and stand-ins.
    tables: String,
    /// Macros and pragmas right before the program.
    directives: String,
    /// C after the program.
    definitions: String,
    /// Statements that are executed before `main`.
    start: String,
    notes: BTreeSet<String>,
    /// Functions that need a declaration because the program calls them without one.
    undeclared: BTreeSet<String>,
}

impl<'a> Maker<'a> {
    fn new(loaded: &'a Loaded, unit: &'a Unit, editor: Editor, (inputs, made): (Recorded, Made)) -> Maker<'a> {
        let program = &*loaded.program;
        let places = Places::new(program, unit, &editor);
        Maker {
            program,
            unit,
            editor,
            places,
            map: &loaded.map,
            inputs,
            made,
            blocks: BTreeMap::new(),
            cleared: BTreeSet::new(),
            externals: 0,
            tables: String::new(),
            directives: String::new(),
            definitions: String::new(),
            start: String::new(),
            notes: BTreeSet::new(),
            undeclared: BTreeSet::new(),
        }
    }

    fn make(&mut self, prop: Prop) -> Result<(), String> {
        self.property(prop)?;
        // The sanitizer has its own idea of faults.
        let sanitized = matches!(self.program.props[prop].kind, PropKind::Bounds | PropKind::Pointer);
        if !self.map.regions.is_empty() && !sanitized {
            self.start.push_str("  __syncline_survive();\n");
        }
        self.memory();
        self.sites();
        self.functions();
        self.objects();
        self.entry();
        Ok(())
    }

    fn spot(&self, origin: Origin) -> Option<Spot> {
        places::of_origin(self.program, origin)
    }

    fn spot_of(&self, loc: Loc) -> Spot {
        places::of_loc(self.unit, loc)
    }

    fn wide(&self) -> bool {
        self.unit.types.model == types::DataModel::Lp64
    }

    fn note(&mut self, text: String) {
        self.notes.insert(text);
    }

    /// Makes the place of the property abort by itself, so that the test says which property it was.
    fn property(&mut self, prop: Prop) -> Result<(), String> {
        let data = &self.program.props[prop];
        let unplaced = || format!("the place of {} was not found in the preprocessed text", data.name);
        match data.kind {
            PropKind::Reach | PropKind::Assertion => {}
            PropKind::Overflow | PropKind::Shift | PropKind::Bounds | PropKind::Pointer => {
                let text = "is observed by gcc's sanitizer, which the command in the first line switches on";
                self.note(format!("{} {text}", data.name));
                return Ok(());
            }
            PropKind::Race | PropKind::Nondeterminism | PropKind::Stability => {
                return Err(format!("{} is a property of a synchronous system", data.name));
            }
            PropKind::Division => {
                self.start.push_str("  __syncline_signal(8, (void (*)(int))__syncline_violated);\n");
                return Ok(());
            }
        }
        let spot = self.spot(data.origin).ok_or_else(unplaced)?;
        let tokens = self.places.of_property(prop, self.editor.at(&spot));
        if tokens.is_empty() {
            return Err(unplaced());
        }
        for token in tokens {
            let name = self.editor.word(token).to_string();
            let Some(function) = self.unit.functions.values().find(|f| f.name == name) else { continue };
            if function.body.is_some() {
                // The function is the property: being called violates it.
                if let (true, Some((open, _))) = (data.kind == PropKind::Reach, self.editor.body(token)) {
                    self.editor.insert_after(open, " __syncline_violated();");
                }
            } else if data.kind == PropKind::Reach {
                self.editor.replace(token, token, "__syncline_violated");
            } else if !name.starts_with("__assert") {
                // What the library's own `assert` expands to is as good as it is.
                self.editor.replace(token, token, "__syncline_assert");
            }
        }
        Ok(())
    }

    /// Definitions for functions without a body. Those the model says nothing of do nothing; others of the library are
    /// the library's, and missing only if nothing calls them.
    fn functions(&mut self) {
        let only_declared = self.only_declared();
        let functions = self.unit.functions.values().filter(|f| f.body.is_none());
        let functions: Vec<_> =
            functions.map(|f| (f.name.clone(), f.noreturn, f.loc, self.record_size(&f.name))).collect();
        for (n, (name, noreturn, loc, record)) in functions.into_iter().enumerate() {
            let body = match name.as_str() {
                "__VERIFIER_error" | "reach_error" => "__syncline_left(\"another property is violated\");",
                "__VERIFIER_assert" | "__CPROVER_assert" | "assert" => {
                    "if (!value) __syncline_left(\"another assertion is violated\");"
                }
                "__VERIFIER_assume" | "__CPROVER_assume" => {
                    "if (!value) __syncline_left(\"an assumption is not met\");"
                }
                _ if noreturn && only_declared.contains(&name) => "__syncline_exit(0);",
                _ if name.starts_with("__VERIFIER_") || only_declared.contains(&name) => "",
                _ => {
                    let shared = !name.starts_with("__builtin_") && !self.is_static(loc, &name);
                    if shared && self.editor.uses(&name) > 1 {
                        let _ = writeln!(self.directives, "#pragma weak {name}");
                    }
                    continue;
                }
            };
            // Not the library's function of that name, which may do something.
            let _ = writeln!(self.directives, "#define {name} __syncline_fn_{name}");
            if self.undeclared.contains(&name) {
                let _ = writeln!(self.directives, "int {name}();");
            }
            // Records are returned in another way than numbers.
            let (ty, result) = match record {
                Some(size) => (format!("struct {{ char bytes[{size}]; }}"), "result"),
                None => ("unsigned long long".to_string(), "0"),
            };
            let _ = writeln!(
                self.definitions,
                "typedef {ty} __syncline_type{n};\n\
                 __syncline_type{n} __syncline_dummy{n}(int value) __asm__(\"__syncline_fn_{name}\");\n\
                 __syncline_type{n} __syncline_dummy{n}(int value) \
                 {{ static __syncline_type{n} result; {body} return {result}; }}"
            );
        }
    }

    /// The size of the record a function returns, if it does.
    fn record_size(&self, name: &str) -> Option<u64> {
        let function = self.unit.functions.values().find(|f| f.name == name)?;
        let types::Type::Function(signature) = self.unit.types.get(function.ty) else { return None };
        match self.unit.types.get(signature.result) {
            types::Type::Record(_) => layout::size_of(&self.unit.types, signature.result),
            _ => None,
        }
    }

    /// The functions that return any value and do nothing, as the verdict lists them.
    fn only_declared(&self) -> BTreeSet<String> {
        let named = |text: &str| text.strip_prefix('`')?.split_once("` is only declared").map(|(n, _)| n.to_string());
        self.program.assumptions.iter().filter_map(|(_, text)| named(text)).collect()
    }

    fn is_static(&self, loc: Loc, name: &str) -> bool {
        let spot = self.spot_of(loc);
        self.editor.words_at(&spot, name).iter().any(|&t| self.editor.declared(t).contains(&"static"))
    }

    /// Objects that are defined nowhere and that the run does not need: they may stay so.
    fn objects(&mut self) {
        let fed = &self.definitions;
        let missing = |o: &&syncline_frontend::hir::Object| {
            o.storage == Storage::Global && !o.defined && !fed.contains(&format!("__asm__(\"{}\")", o.name))
        };
        let names: BTreeSet<&str> = self.unit.objects.values().filter(missing).map(|o| o.name.as_str()).collect();
        for name in names {
            if self.editor.uses(name) > 1 {
                let _ = writeln!(self.directives, "#pragma weak {name}");
            }
        }
    }

    /// `main`, if a run starts elsewhere. The parameters are set where the function begins.
    fn entry(&mut self) {
        let Some(entry) = self.program.entry else { return };
        let name = self.program.procs[entry].name.trim_end_matches(".start").to_string();
        if name == "main" {
            return;
        }
        self.directives.push_str("#define main __syncline_main\n");
        let params = self.unit.functions.values().find(|f| f.name == name).map_or(&[][..], |f| f.params.as_slice());
        let bytes: u64 =
            params.iter().filter_map(|&p| layout::size_of(&self.unit.types, self.unit.objects[p].ty.ty)).sum();
        let zeros = vec!["0"; bytes.div_ceil(4) as usize + params.len()].join(", ");
        let _ =
            writeln!(self.definitions, "#undef main\nint main(void) {{ ((void (*)()){name})({zeros}); return 0; }}");
    }

    /// Options for functions that gcc takes to end the program although the program defines them.
    fn own_ends(&self) -> String {
        let own = |name: &&&str| self.unit.functions.values().any(|f| f.name == **name && f.body.is_some());
        let ends = ["abort", "exit", "_exit", "_Exit"];
        ends.iter().filter(own).map(|name| format!(" -fno-builtin-{name}")).collect()
    }

    fn finish(self, args: &CheckArgs, prop: Prop, to: &Path) -> (Vec<u8>, Vec<String>) {
        let data = &self.program.props[prop];
        let place = self.program.describe_origin(data.origin);
        let mut before = format!("// {}\n", command(args, data.kind, &self.own_ends(), to));
        let line = |text: &str| text.replace(['\n', '\r'], " ");
        let _ = writeln!(before, "// Aborts at {place}: {}: {}", data.name, line(&data.description));
        for note in &self.notes {
            let _ = writeln!(before, "// Note: {}", line(note));
        }
        before.push_str(emit::RUNTIME);
        before.push_str(&emit::violation(&data.name, &data.description));
        before.push_str(&self.tables);
        before.push_str("extern void (*__syncline_signal(int, void (*)(int)))(int) __asm__(\"signal\");\n");
        before.push_str(sanitizer_options(data.kind));
        before.push_str(&self.directives);
        let mut after = format!("\n{}", self.definitions);
        if !self.start.is_empty() {
            let _ =
                writeln!(after, "__attribute__((constructor)) static void __syncline_start(void) {{\n{}}}", self.start);
        }
        (self.editor.finish(&before, &after), self.notes.into_iter().collect())
    }
}

/// The command that compiles the test.
fn command(args: &CheckArgs, kind: PropKind, options: &str, to: &Path) -> String {
    let model = if args.input.ilp32 { "-m32 -msse2 -mfpmath=sse" } else { "-m64" };
    let wraps = if kind == PropKind::Overflow { "" } else { " -fwrapv" };
    let sanitizer = match kind {
        PropKind::Reach | PropKind::Assertion | PropKind::Division => "",
        PropKind::Race | PropKind::Nondeterminism | PropKind::Stability => "",
        PropKind::Overflow => " -fsanitize=signed-integer-overflow -fno-sanitize-recover=all",
        PropKind::Shift => " -fsanitize=shift-exponent -fno-sanitize-recover=all",
        PropKind::Bounds => " -fsanitize=bounds,address -fno-sanitize-recover=all",
        PropKind::Pointer => " -fsanitize=null,address -fno-sanitize-recover=all",
    };
    let name = to.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = to.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let output = if stem == name { format!("{stem}.out") } else { stem };
    format!("gcc -std=gnu11 -O0{wraps} -fgnu89-inline {model}{sanitizer}{options} -w -o {output} -x c {name} -lm")
}

/// Sanitizers end the run with an error status unless told to abort.
fn sanitizer_options(kind: PropKind) -> &'static str {
    match kind {
        PropKind::Reach | PropKind::Assertion | PropKind::Division => "",
        PropKind::Race | PropKind::Nondeterminism | PropKind::Stability => "",
        PropKind::Overflow | PropKind::Shift | PropKind::Bounds | PropKind::Pointer => {
            "const char *__ubsan_default_options(void) { return \"abort_on_error=1\"; }\n\
             const char *__asan_default_options(void) { return \"abort_on_error=1:detect_leaks=0\"; }\n"
        }
    }
}
