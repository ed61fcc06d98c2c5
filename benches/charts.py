#!/usr/bin/env python3
"""How time grows with the size of a chart, and how far a wait is followed, as Markdown for docs/chart-growth.md.

The first table has charts of 25 to 500 states in orthogonal components of 25, four transitions a state: `read` is a check that
asks nothing (the start of the process, import, lowering), `conflict` the check of all scopes, without a conflict and with one
that shows after a few steps. The second has charts that wait so many steps before a requirement is violated, and such in which it
is not because the wait is cut short one step before, by engine. An open wait is found by random runs, before any engine is asked; a locked one
begins after two inputs that are hard to guess. Time is the wall clock of `syncline check`, evidence included; a dash is UNKNOWN.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PART = 25


def component(c, count, conflict):
    """25 states, 100 transitions: four OR-states of five states, in an OR-state. Which way it goes is the input `k`."""
    name, data, next_one = f"part{c}", f"x{c}", f"part{(c + 1) % count}"
    lines = [f'<or-state name="{name}"><default target="g0"/>']
    for g in range(4):
        lines.append(f'<or-state name="g{g}"><default target="s0"/>')
        lines += [f'<state name="s{i}"/>' for i in range(5)]
        for i in range(5):
            ahead, back = (i + 1) % 5, (i + 3) % 5
            lines.append(f'<transition from="s{i}" to="s{ahead}">[k{c} = 1 and {data} &lt; 5]/{data} := {data} + 1</transition>')
            high = 4 if conflict and (g, i) == (3, 4) else 5
            lines.append(f'<transition from="s{i}" to="s{back}">[k{c} = 1 and {data} >= {high}]/{data} := 0</transition>')
            lines.append(f'<transition from="s{i}" to="s{back}">e{c}[k{c} = 2 and not in({next_one}.g0)]</transition>')
        lines.append("</or-state>")
        for j in range(10):
            target = f"g{(g + 1 + j % 3) % 4}.s{j % 5}"
            lines.append(f'<transition from="g{g}" to="{target}">e{c}[k{c} = {j + 3}]</transition>')
    return lines + ["</or-state>"]


def chart(states, conflict):
    count = states // PART
    lines = ['<statechart name="growth"><declarations>']
    for c in range(count):
        lines.append(f'<event name="e{c}" usage="input"/><data-item name="k{c}" type="integer" min="0" max="15" usage="input"/>')
        lines.append(f'<data-item name="x{c}" type="integer" min="0" max="5"/>')
    lines.append("</declarations>")
    parts = [line for c in range(count) for line in component(c, count, conflict and c == count - 1)]
    if count > 1:
        parts = ['<and-state name="all">'] + parts + ["</and-state>"]
    return "\n".join(lines + parts + ["</statechart>"]) + "\n"


# By kind: how the wait begins, what may end it, and the verdict. Random runs come before all engines, and find what is open.
OPEN = '<transition from="idle" to="waits">go</transition>'
LOCKED = """<state name="code"/><transition from="idle" to="code">[k * k + k = 17998806]</transition>
<transition from="code" to="waits">[k * k + 3 * k = 32007304]</transition>
<transition from="code" to="idle">[k * k + 3 * k /= 32007304]</transition>"""
CUT = '<transition from="waits" to="idle">tm(en(waits), {})</transition>'
WAITS = {"open": (OPEN, "", "UNSAFE"), "locked": (LOCKED, "", "UNSAFE"), "cut": (OPEN, CUT, "SAFE")}


def wait(steps, kind, clock):
    begin, cut, _ = WAITS[kind]
    item = '<event name="go" usage="input"/>'
    if kind == "locked":
        item = '<data-item name="k" type="integer" min="0" max="65535" usage="input"/>'
    return f"""<statechart name="wait" time="{clock}"><declarations>{item}
</declarations>
<or-state name="top"><default target="idle"/><state name="idle"/><state name="waits"/><state name="late"/>
{begin}{cut.format(steps - 1)}
<transition from="waits" to="late">tm(en(waits), {steps})</transition></or-state>
<requirements><requirement name="R">never in(late)</requirement></requirements></statechart>
"""


def check(binary, text, limit, *options):
    """Wall clock, and the verdicts by property."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chart.xml"
        path.write_text(text)
        begin = time.monotonic()
        command = [binary, "check", "--time", str(limit), "--json", "-", *options, path]
        run = subprocess.run(command, capture_output=True, text=True, timeout=20 * limit + 60, check=False)
        seconds = time.monotonic() - begin
    if run.returncode not in (0, 5, 10):
        sys.exit(f"status {run.returncode}: {run.stderr[:2000]}")
    start = run.stdout.find("{")
    report = json.JSONDecoder().raw_decode(run.stdout[start:])[0] if start >= 0 else {}
    return seconds, [p["verdict"] for p in report.get("properties", [])]


def growth(binary, limit, sizes):
    print("| states | transitions | read | conflict, none | scopes | one conflict |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for states in sizes:
        right, wrong = chart(states, False), chart(states, True)
        read, _ = check(binary, right, limit, "--check", "stability")
        none, safe = check(binary, right, limit, "--check", "conflict")
        some, found = check(binary, wrong, limit, "--check", "conflict")
        if "UNSAFE" in safe or found.count("UNSAFE") > 1:
            sys.exit(f"{states} states: {safe} {found}")
        scopes = f"{safe.count('SAFE')} of {len(safe)} SAFE"
        seconds = f"{some:.2f} s" if "UNSAFE" in found else "-"
        print(f"| {states} | {right.count('<transition')} | {read:.2f} s | {none:.2f} s | {scopes} | {seconds} |", flush=True)


def waits(binary, limit, sizes, clocks, kinds, engines):
    print("| time | wait | steps | verdict |" + "".join(f" {e} |" for e in engines))
    print("| --- | --- | ---: | --- |" + " ---: |" * len(engines))
    for clock in clocks:
        for kind in kinds:
            expected = WAITS[kind][2]
            for steps in sizes:
                cells = []
                for engine in engines:
                    options = ["--check", "requirement", "--engine", engine]
                    seconds, found = check(binary, wait(steps, kind, clock), limit, *options)
                    if found not in (["UNKNOWN"], [expected]):
                        sys.exit(f"{clock}, {steps} steps, {engine}: {found}")
                    cells.append(f"{seconds:.2f} s" if found == [expected] else "-")
                print(f"| {clock} | {kind} | {steps} | {expected} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/syncline")
    parser.add_argument("--time", type=int, default=30, help="seconds a check")
    parser.add_argument("--states", type=int, nargs="*", default=[25, 50, 100, 200, 350, 500])
    parser.add_argument("--steps", type=int, nargs="*", default=[10, 100, 500, 2000])
    parser.add_argument("--clocks", nargs="*", default=["synchronous", "asynchronous"])
    parser.add_argument("--engines", nargs="*", default=["pdr", "kinduction", "lawi", "explicit", "bmc"])
    parser.add_argument("--waits", nargs="*", default=list(WAITS))
    parser.add_argument("--write", type=int, metavar="STATES", help="only print the chart of this size")
    options = parser.parse_args()
    if options.write:
        return print(chart(options.write, False), end="")
    growth(options.binary, options.time, options.states)
    print()
    return waits(options.binary, options.time, options.steps, options.clocks, options.waits, options.engines)


if __name__ == "__main__":
    main()
