//! A generated system as C.

use super::{Cond, Expr, Process, State, Stmt, System, CELLS};
use std::fmt::Write;

pub fn program(system: &System) -> String {
    let mut out = String::from("#include <syncline.h>\n#include <assert.h>\n");
    for n in 0..system.inputs {
        let _ = writeln!(out, "_Bool in{n};");
    }
    if system.array {
        let inits: Vec<String> = system.shared[..CELLS].iter().map(|cell| cell.init.to_string()).collect();
        let _ = writeln!(out, "unsigned char a[{CELLS}] = {{ {} }};", inits.join(", "));
    }
    for (n, shared) in system.shared.iter().enumerate().filter(|&(n, _)| !system.is_cell(n)) {
        let _ =
            writeln!(out, "{}unsigned char v{n} = {};", if shared.blocking { "blocking " } else { "" }, shared.init);
        let _ = writeln!(out, "void put{n}(unsigned char value) {{ v{n} = value; }}");
    }
    for n in 0..system.processes.len() {
        let _ = writeln!(out, "void p{n}(void);");
    }
    for (n, process) in system.processes.iter().enumerate() {
        write_process(&mut out, n, process);
    }
    out.push_str("void environment(void) {\n");
    for n in 0..system.inputs {
        let _ = writeln!(out, "    in{n} = __VERIFIER_nondet_bool();");
    }
    out.push_str("}\nint main(void) {\n");
    for (n, process) in system.processes.iter().enumerate() {
        if process.parent.is_none() {
            let _ = writeln!(out, "    sync(p{n});");
        }
    }
    let time = if system.asynchronous { "asynchronous" } else { "synchronous" };
    let _ = writeln!(out, "    sync_environment(environment);\n    sync_time({time});");
    let _ = writeln!(out, "    always({});\n}}", cond(&system.always));
    out
}

fn write_process(out: &mut String, n: usize, process: &Process) {
    let _ = writeln!(out, "void p{n}(void) {{");
    for (k, init) in process.locals.iter().enumerate() {
        let _ = writeln!(out, "    unsigned char l{k} = {init};");
    }
    for (k, state) in process.states.iter().enumerate() {
        match state {
            State::Atomic(stmts) => {
                let _ = writeln!(out, "s{k}:\n    atomic {{");
                write_stmts(out, stmts, 2);
                out.push_str("    }\n");
            }
            State::Choice(transitions, otherwise) => {
                let _ = writeln!(out, "s{k}:\n    choice {{");
                for (guard, stmts) in transitions {
                    let _ = writeln!(out, "        when ({}) {{", cond(guard));
                    write_stmts(out, stmts, 3);
                    out.push_str("        }\n");
                }
                if let Some(stmts) = otherwise {
                    out.push_str("        otherwise {\n");
                    write_stmts(out, stmts, 3);
                    out.push_str("        }\n");
                }
                out.push_str("    }\n");
            }
            State::Plain(stmts) => {
                let _ = writeln!(out, "s{k}:\n    {{");
                write_stmts(out, stmts, 2);
                out.push_str("    }\n");
            }
        }
    }
    out.push_str("}\n");
}

fn write_stmts(out: &mut String, stmts: &[Stmt], depth: usize) {
    stmts.iter().for_each(|stmt| write_stmt(out, stmt, depth));
}

fn write_stmt(out: &mut String, stmt: &Stmt, depth: usize) {
    let pad = "    ".repeat(depth);
    let _ = match stmt {
        Stmt::Set(n, value) => writeln!(out, "{pad}v{n} = {};", expr(value)),
        Stmt::Put(n, value) => writeln!(out, "{pad}put{n}({});", expr(value)),
        Stmt::SetAt(index, value) => writeln!(out, "{pad}a[{} % {CELLS}] = {};", expr(index), expr(value)),
        Stmt::SetLocal(n, value) => writeln!(out, "{pad}l{n} = {};", expr(value)),
        Stmt::If(test, then, other) => {
            let _ = writeln!(out, "{pad}if ({}) {{", cond(test));
            write_stmts(out, then, depth + 1);
            if !other.is_empty() {
                let _ = writeln!(out, "{pad}}} else {{");
                write_stmts(out, other, depth + 1);
            }
            writeln!(out, "{pad}}}")
        }
        Stmt::Goto(n) => writeln!(out, "{pad}goto s{n};"),
        Stmt::Idle => writeln!(out, "{pad}idle();"),
        Stmt::Empty => writeln!(out, "{pad};"),
        Stmt::Assert(test) => writeln!(out, "{pad}assert({});", cond(test)),
        Stmt::Repeat(times, stmts) => {
            let _ = writeln!(out, "{pad}for (int i{depth} = 0; i{depth} < {times}; i{depth}++) {{");
            write_stmts(out, stmts, depth + 1);
            writeln!(out, "{pad}}}")
        }
        Stmt::Skip(test, stmts, label) => {
            let _ = writeln!(out, "{pad}if ({}) goto over{label};", cond(test));
            write_stmts(out, stmts, depth);
            // A declaration needs none, the end of a block does.
            writeln!(out, "{pad}over{label}: (void)0;")
        }
        Stmt::While(test, stmts) => {
            let _ = writeln!(out, "{pad}while ({}) {{", cond(test));
            write_stmts(out, stmts, depth + 1);
            writeln!(out, "{pad}}}")
        }
        Stmt::Start(n) => writeln!(out, "{pad}sync(p{n});"),
        Stmt::Stop(n) => writeln!(out, "{pad}sync_stop(p{n});"),
    };
}

fn expr(e: &Expr) -> String {
    match e {
        Expr::Const(value) => value.to_string(),
        Expr::Shared(n) => format!("v{n}"),
        Expr::At(index) => format!("a[{} % {CELLS}]", expr(index)),
        Expr::Local(n) => format!("l{n}"),
        Expr::Add(a, b) => format!("(({} + {}) & 3)", expr(a), expr(b)),
    }
}

fn cond(c: &Cond) -> String {
    match c {
        Cond::Input(n) => format!("in{n}"),
        Cond::Eq(a, b) => format!("{} == {}", expr(a), expr(b)),
        Cond::Less(a, b) => format!("{} < {}", expr(a), expr(b)),
        Cond::Not(a) => format!("!({})", cond(a)),
        Cond::And(a, b) => format!("(({}) && ({}))", cond(a), cond(b)),
        Cond::Or(a, b) => format!("(({}) || ({}))", cond(a), cond(b)),
    }
}
