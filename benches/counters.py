#!/usr/bin/env python3
"""How time grows with the number of independent counters, for each engine.

The program has N counters; each step an input chooses which of them may advance; counter i wraps to 0 after LIMIT. The
property is that no counter exceeds LIMIT. Time is the wall clock of `syncline check`, evidence included; the table is
Markdown. A dash is UNKNOWN within the limit.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def program(n, limit):
    lines = ["extern unsigned __VERIFIER_nondet_uint(void);", "extern void __VERIFIER_error(void);", "int main(void) {"]
    lines += [f"    unsigned c{i} = 0;" for i in range(n)]
    lines += ["    while (1) {", "        unsigned in = __VERIFIER_nondet_uint();"]
    for i in range(n):
        lines.append(f"        if (in == {i}u) {{ if (c{i} == {limit}u) c{i} = 0; else c{i} = c{i} + 1; }}")
    bad = " || ".join(f"c{i} > {limit}u" for i in range(n))
    lines += [f"        if ({bad}) __VERIFIER_error();", "    }", "}"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--syncline", default=str(ROOT / "target/release/syncline"))
    parser.add_argument("--time", type=int, default=15)
    parser.add_argument("--limit", type=int, default=5)
    parser.add_argument("--engines", nargs="+", default=["bmc", "kinduction", "pdr", "explicit"])
    parser.add_argument("--counters", nargs="+", type=int, default=[2, 4, 8, 16, 32, 64])
    args = parser.parse_args()
    print("| counters | " + " | ".join(args.engines) + " |")
    print("| ---: |" + " ---: |" * len(args.engines))
    with tempfile.TemporaryDirectory() as directory:
        for n in args.counters:
            path = Path(directory) / f"counters{n}.c"
            path.write_text(program(n, args.limit))
            cells = []
            for engine in args.engines:
                start = time.monotonic()
                command = [args.syncline, "check", "--engine", engine, "--time", str(args.time), str(path)]
                done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                seconds = time.monotonic() - start
                if done.returncode not in (0, 5):
                    sys.exit(f"{engine} with {n} counters: exit status {done.returncode}")
                cells.append(f"{seconds:.2f} s" if done.returncode == 0 else "-")
            print(f"| {n} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
