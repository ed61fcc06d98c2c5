#!/usr/bin/env python3
"""Asks the `z3` and `cvc5` commands about the certificates of a sample of SAFE verdicts.

    tools/certificates.py --root TASKS --count 100 RESULTS.tsv...

The tables are those of the task runner (path, expected, tool, answer, ...); a tool's name there is the engine's. Tasks it
answered with `true` are drawn at random over the tables, checked again with --certificate, and every query in the
certificate must be answered `unsat` by both solvers within the time. Exit status 0 if all were.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

SOLVERS = {"z3": lambda file, seconds: ["z3", f"-T:{seconds}", file],
           "cvc5": lambda file, seconds: ["cvc5", f"--tlimit={1000 * seconds}", file]}


def proved(tables):
    """The tasks and engines the tables have a proof for, a list for each table."""
    lists = []
    for table in tables:
        rows = [line.rstrip("\n").split("\t") for line in open(table)]
        lists.append([(row[0], row[2]) for row in rows if row[3] == "true" and row[1] == "true"])
    return lists


def sample(lists, count):
    """Draws from the lists in turn, so that small sets are not lost among large ones."""
    drawn = []
    lists = [rows for rows in lists if rows]
    for rows in lists:
        random.shuffle(rows)
    while lists and len(drawn) < count:
        for rows in lists:
            if rows and len(drawn) < count:
                drawn.append(rows.pop())
        lists = [rows for rows in lists if rows]
    return drawn


def accepted(directory, seconds):
    """What each solver says of the queries: solver -> (unsat, other, failed to answer)."""
    counts = {}
    for name, command in SOLVERS.items():
        answers = []
        for query in sorted(directory.glob("*.smt2")):
            run = subprocess.run(command(str(query), seconds), capture_output=True, text=True)
            words = run.stdout.split()
            answers.append(words[0] if words else "none")
        counts[name] = (answers.count("unsat"), answers.count("sat"), len(answers))
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--root", required=True, help="where the tasks are")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time", type=int, default=30, help="seconds for a check and for a query (30)")
    parser.add_argument("--syncline", default="target/release/syncline")
    args = parser.parse_args()
    random.seed(args.seed)
    good, bad, queries, unanswered = 0, 0, 0, 0
    for path, engine in sample(proved(args.tables), args.count):
        with tempfile.TemporaryDirectory() as temporary:
            directory = Path(temporary) / "certificate"
            run = subprocess.run([args.syncline, "check", "--32", "--engine", engine, "--time", str(args.time),
                                  "--certificate", str(directory), str(Path(args.root) / path)], capture_output=True)
            if run.returncode != 0:
                print(f"not proved again ({run.returncode}): {engine} {path}", flush=True)
                unanswered += 1
                continue
            counts = accepted(directory, args.time)
            ok = all(unsat == total for unsat, _, total in counts.values())
            good, bad = good + ok, bad + (not ok)
            queries += sum(total for _, _, total in counts.values())
            if not ok:
                print(f"not accepted: {engine} {path}: {counts}", flush=True)
    print(f"{good} certificates accepted by both, {bad} not, {unanswered} not proved again; {queries} answers")
    sys.exit(1 if bad else 0)


main()
