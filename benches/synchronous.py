#!/usr/bin/env python3
"""The models of examples/synchronous, row by row, with every way of deciding them; and how time grows with the number of
processes.

The first table has a line for each row of each model (the `// row:` lines at their top) and a column for each contender:
an engine with its options; `--interleaving` takes the turns of a step in every order. Verdicts other than the
expected one end the run; a dash is UNKNOWN within the time. The others have a line for each number of processes: mutual
exclusion (Fig. 2.2 of the thesis), and a ring in which each process writes only its own variables. Contenders that the
binary refuses are left out with a message. Time is the wall clock of `syncline check`, evidence included. All of it is
Markdown, for docs/synchronous-growth.md.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CONTENDERS = [
    ("lawi", ["--engine", "lawi"]),
    ("turns", ["--engine", "lawi", "--lawi-edges", "turns"]),
    ("explicit vectors", ["--engine", "lawi", "--lawi-vectors"]),
    ("interleaving, lawi", ["--engine", "lawi", "--interleaving"]),
    ("tree alone", ["--engine", "lawi", "--lawi-bare"]),
    ("interleaving, tree alone", ["--engine", "lawi", "--lawi-bare", "--interleaving"]),
    ("interleaving, pdr", ["--engine", "pdr", "--interleaving"]),
    ("kinduction", ["--engine", "kinduction"]),
    ("pdr", ["--engine", "pdr"]),
    ("explicit", ["--engine", "explicit"]),
]

STATUS = {"SAFE": 0, "UNSAFE": 10}
UNKNOWN = 5


def mutex(n):
    """Mutual exclusion of n processes, as examples/synchronous/mutex.c."""
    numbers = range(1, n + 1)
    lines = ["#include <syncline.h>"]
    for i in numbers:
        lines.append(f"_Bool start_{i}, req_cs_{i}, rel_cs_{i}, in_wait_{i}, in_cs_{i};")
    lines.append("_Bool lock;")
    for i in numbers:
        alone = " && ".join(["!lock"] + [f"!in_wait_{j}" for j in numbers if j != i])
        lines += [f"void p_{i}(void)", "{"]
        lines += state(f"init_{i}", f"start_{i}", [f"start_{i} = 0;"], f"run_{i}")
        lines += state(f"run_{i}", f"req_cs_{i}", [f"req_cs_{i} = 0;", f"in_wait_{i} = 1;"], f"wait_{i}")
        lines += state(f"wait_{i}", alone, ["lock = 1;", f"in_wait_{i} = 0;", f"in_cs_{i} = 1;"], f"cs_{i}")
        lines += state(f"cs_{i}", f"rel_cs_{i}", [f"rel_cs_{i} = 0;", "lock = 0;", f"in_cs_{i} = 0;"], f"run_{i}")
        lines.append("}")
    inputs = [f"{kind}_{i}" for i in numbers for kind in ("start", "req_cs", "rel_cs")]
    exclusion = " + ".join(f"in_cs_{i}" for i in numbers) + " <= 1"
    return "\n".join(lines + frame([f"p_{i}" for i in numbers], inputs, "asynchronous", exclusion)) + "\n"


def ring(n):
    """Dijkstra's token in a ring of n processes: it is where two neighbours differ (or, at the first, agree), and the one
    that has it may be in its critical section and then passes it on by changing its own variable."""
    numbers = range(n)
    lines = ["#include <syncline.h>"]
    lines += [f"_Bool x_{i}, want_{i}, in_cs_{i};" for i in numbers]
    for i in numbers:
        has = f"x_{i} == x_{n - 1}" if i == 0 else f"x_{i} != x_{i - 1}"
        lines += [f"void p_{i}(void)", "{"]
        lines += state(f"out_{i}", f"want_{i} && {has}", [f"in_cs_{i} = 1;"], f"in_{i}")
        lines += state(f"in_{i}", f"!want_{i}", [f"in_cs_{i} = 0;", f"x_{i} = !x_{i};"], f"out_{i}")
        lines.append("}")
    exclusion = " + ".join(f"in_cs_{i}" for i in numbers) + " <= 1"
    processes = [f"p_{i}" for i in numbers]
    return "\n".join(lines + frame(processes, [f"want_{i}" for i in numbers], "synchronous", exclusion)) + "\n"


def state(label, guard, actions, target):
    """A location with one transition."""
    body = [f"if ({guard}) {{", *actions, f"goto {target};", "} else", f"goto {label};"]
    return [f"{label}:", "atomic {", *body, "}"]


def frame(processes, inputs, model, always):
    lines = ["void environment(void)", "{"] + [f"{i} = __VERIFIER_nondet_bool();" for i in inputs] + ["}"]
    lines += ["int main(void)", "{"] + [f"sync({p});" for p in processes]
    return lines + ["sync_environment(environment);", f"sync_time({model});", f"always({always});", "}"]


SCALING = [("Mutual exclusion", mutex, [2, 3, 4, 6, 8, 10, 12]), ("Ring", ring, [2, 4, 8, 16, 24, 32])]


def rows(models):
    """Each row of each model: path, name, options, expected exit status."""
    for path in models:
        for line in path.read_text().splitlines():
            if not line.startswith("// row:"):
                break
            name, options, verdict, _ = [field.strip() for field in line[len("// row:") :].split("|")]
            yield path, name, options.split(), STATUS[verdict]


class Runner:
    def __init__(self, syncline, seconds, directory):
        self.syncline, self.seconds, self.directory = syncline, seconds, directory

    def check(self, options, path):
        """Exit status and seconds."""
        # A property has this long; a row of many has as long for all of them.
        command = [self.syncline, "check", *options, "--time", str(self.seconds), str(path)]
        start = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.seconds + 5)
            return done.returncode, time.monotonic() - start, done.stderr
        except subprocess.TimeoutExpired:
            return UNKNOWN, time.monotonic() - start, ""

    def accepted(self):
        """The contenders that the binary knows: asked about the smallest mutual exclusion."""
        probe = Path(self.directory) / "probe.c"
        probe.write_text(mutex(2))
        for contender in CONTENDERS:
            status, _, words = self.check(contender[1], probe)
            if status == 1:
                print(f"{contender[0]}: left out, {words.strip().splitlines()[0]}", file=sys.stderr)
            else:
                yield contender

    def cell(self, contender, path, options, expected):
        _, engine = contender
        status, seconds, words = self.check([*engine, *options], path)
        if status == UNKNOWN:
            return "-"
        if status != expected:
            sys.exit(f"{contender[0]} on {path}: exit status {status}, expected {expected}\n{words}")
        return f"{seconds:.2f} s"


def print_line(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def heading(first, contenders):
    print_line(first + [name for name, _ in contenders])
    print_line(["---"] * len(first) + ["---:"] * len(contenders))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--syncline", default=str(ROOT / "target/release/syncline"))
    parser.add_argument("--time", type=int, default=60, help="seconds for a property")
    parser.add_argument("--contenders", nargs="+", help="only these (default: all)")
    parser.add_argument("--models", nargs="+", type=Path, default=sorted((ROOT / "examples/synchronous").glob("*.c")))
    parser.add_argument("--only", choices=["models", "scaling"])
    parser.add_argument("--most", type=int, default=32, help="processes in the scaling runs")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        runner = Runner(args.syncline, args.time, directory)
        wanted = [c for c in runner.accepted() if not args.contenders or c[0] in args.contenders]
        if args.only != "scaling":
            heading(["model", "property"], wanted)
            for path, name, options, expected in rows(args.models):
                print_line([path.stem, name] + [runner.cell(c, path, options, expected) for c in wanted])
        if args.only != "models":
            for title, generator, sizes in SCALING:
                print(f"\n{title}\n")
                scaling(runner, wanted, generator, [n for n in sizes if n <= args.most])


def scaling(runner, contenders, generator, sizes):
    heading(["processes"], contenders)
    given_up = set()
    for n in sizes:
        path = Path(runner.directory) / f"{generator.__name__}{n}.c"
        path.write_text(generator(n))
        cells = []
        for contender in contenders:
            # Who has not decided a smaller one is not asked again.
            cell = "-" if contender[0] in given_up else runner.cell(contender, path, [], STATUS["SAFE"])
            if cell == "-":
                given_up.add(contender[0])
            cells.append(cell)
        print_line([str(n)] + cells)


if __name__ == "__main__":
    main()
