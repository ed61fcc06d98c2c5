#!/usr/bin/env python3
"""Seeds known bugs one at a time and checks that the test suites notice each.

A table (TOML, default tests/seeded/lowering.toml) names for each bug a file, the text to replace and its replacement.
It may bring its own suites ([[suite]]: name, arguments, environment), name for a bug the suite to run first, and give
options for every call of cargo (cargo) and the call that builds everything (build).
The work tree is copied to target/seeded/tree; there each bug is applied alone, the binary is built, and the suites run
until one fails. Builds share one target directory, so only the changed crate is compiled again.

Exit status: 0 all caught, 1 some bug missed, not applicable or not compiling, 2 the suites fail without any bug.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# From fast to thorough; the first failure settles a bug.
SUITES = [
    ("differential, 40 programs", ["--test", "differential"], {"SYNCLINE_DIFF_COUNT": "40"}),
    # A check that is too slow proves nothing about the bug, so UNKNOWN does not count.
    ("enumeration, 16 programs", ["--test", "enumeration"],
     {"SYNCLINE_ENUM_COUNT": "16", "SYNCLINE_ENUM_UNKNOWN": "100"}),
    ("memory, 40 programs", ["--test", "differential"],
     {"SYNCLINE_DIFF_COUNT": "40", "SYNCLINE_DIFF_PROFILE": "memory"}),
    ("conformance", ["--test", "conformance"], {}),
    ("differential, 300 programs", ["--test", "differential"], {"SYNCLINE_DIFF_COUNT": "300"}),
    ("verdicts", ["--test", "verdict"], {}),
    ("front end", ["-p", "syncline-frontend"], {}),
]
COPIED = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", ".cargo", "src", "ir", "frontend", "engines", "statechart",
          "examples", "tests", "benches", "docs"]
SUITE_SECONDS = 900
# A table's own, for cargo.
BUILD_OPTIONS = []


def copy_tree(tree):
    """Brings the copy up to date without touching files that are the same, so that cargo rebuilds only what changed."""
    tree.mkdir(parents=True, exist_ok=True)
    present = [name for name in COPIED if (ROOT / name).exists()]
    for name in present:
        source, target = ROOT / name, tree / name
        files = [source] if source.is_file() else [path for path in source.rglob("*") if path.is_file()]
        wanted = set()
        for path in files:
            copy = target if source.is_file() else target / path.relative_to(source)
            wanted.add(copy)
            if not copy.exists() or copy.read_bytes() != path.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
                shutil.copymode(path, copy)
        if target.is_dir():
            for path in target.rglob("*"):
                if path.is_file() and path not in wanted:
                    path.unlink()
    link = tree / "third_party"
    if not link.exists():
        link.symlink_to(ROOT / "third_party")


def cargo(tree, arguments, extra=None):
    """Runs cargo in the copy; gives success and output. A suite that hangs counts as failed."""
    arguments = [arguments[0], *BUILD_OPTIONS, *arguments[1:]]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(tree / "target"), "SYNCLINE_DIFF_REDUCE": "0", **(extra or {})}
    process = subprocess.Popen(["cargo", *arguments], cwd=tree, env=environment, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=SUITE_SECONDS)
        return process.returncode == 0, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return False, f"not finished after {SUITE_SECONDS} s"


def first_failure(output):
    """The line of a failing suite that says most."""
    lines = [line.strip()[:110] for line in output.splitlines() if line.strip()]
    for sign in ("program ", "wrong", "panicked at", "FAILED"):
        for line in lines:
            # A program in a message comes with its number.
            if sign in line and (sign != "program " or re.match(r"program \d", line)):
                return line
    return lines[-1] if lines else ""


def run_suites(tree, suites):
    """The name and message of the first suite that fails, or None."""
    for name, arguments, extra in suites:
        passed, output = cargo(tree, ["test", "-q", *arguments], extra)
        if not passed:
            return name, first_failure(output), output
    return None


def try_bug(tree, bug, suites, build):
    """Applies one bug to the copy; gives (outcome, detail) with outcome `caught`, `missed` or `invalid`."""
    path = tree / bug["file"]
    if not path.is_file():
        return "invalid", f"no file {bug['file']}"
    original = path.read_text()
    places = original.count(bug["old"])
    if places != 1:
        return "invalid", f"the text to replace occurs {places} times in {bug['file']}"
    path.write_text(original.replace(bug["old"], bug["new"]))
    try:
        compiled, output = cargo(tree, build)
        if not compiled:
            errors = [line for line in output.splitlines() if line.startswith("error")]
            return "invalid", "does not compile: " + (errors[0] if errors else output.strip()[:110])
        # Stable: the others keep their order.
        failure = run_suites(tree, sorted(suites, key=lambda suite: suite[0] != bug.get("suite")))
        return ("caught", f"{failure[0]}: {failure[1]}") if failure else ("missed", "every suite passes")
    finally:
        path.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", type=Path, default=ROOT / "tests/seeded/lowering.toml")
    parser.add_argument("--only", metavar="TEXT", help="only bugs whose name contains TEXT")
    parser.add_argument("--suites", metavar="N", type=int, default=None, help="only the first N suites")
    parser.add_argument("--no-baseline", action="store_true", help="do not check first that the suites pass without a bug")
    parser.add_argument("--tree", type=Path, default=ROOT / "target/seeded/tree", help="where the copy is kept")
    arguments = parser.parse_args()

    table = tomllib.loads(arguments.table.read_text())
    bugs = [bug for bug in table["bug"] if not arguments.only or arguments.only in bug["name"]]
    own = [(suite["name"], suite["arguments"], suite.get("environment", {})) for suite in table.get("suite", [])]
    suites = (own or SUITES)[:arguments.suites]
    BUILD_OPTIONS.extend(table.get("cargo", []))
    copy_tree(arguments.tree)
    if not arguments.no_baseline:
        failure = run_suites(arguments.tree, suites)
        if failure:
            print(f"without any bug, {failure[0]} fails: {failure[1]}\n{failure[2][-3000:]}", file=sys.stderr)
            return 2
    counts = {"caught": 0, "missed": 0, "invalid": 0}
    for number, bug in enumerate(bugs, 1):
        start = time.monotonic()
        outcome, detail = try_bug(arguments.tree, bug, suites, table.get("build", ["build", "-q"]))
        counts[outcome] += 1
        seconds = time.monotonic() - start
        print(f"{number:3}  {outcome:8} {seconds:6.0f} s  {bug['name']:44} {detail}", flush=True)
    print(f"{counts['caught']} caught, {counts['missed']} missed, {counts['invalid']} invalid of {len(bugs)}")
    return 0 if counts["caught"] == len(bugs) and bugs else 1


if __name__ == "__main__":
    sys.exit(main())
