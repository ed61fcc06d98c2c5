#!/usr/bin/env python3
"""Differential execution of csmith's programs: gcc and `syncline run` must print the same checksum in both data models.

Program N is what `csmith --seed BASE+N` writes with the options of PROFILE (csmith and libcsmith-dev of Debian 12,
version 2.3.0; other versions write other programs). Each outcome is a line of DIR/results.tsv as soon as it is known;
a second call with the same directory goes on where the first was stopped and skips what is decided. Programs that
differ, end with an error or are not supported are kept as DIR/failing/N.c.

A program whose checksum differs is compiled again with optimisation and with sanitizers; if gcc itself then disagrees,
it counts as `undefined`, not as `different`.

Exit status: 0 no program differs and none is refused, 1 some do, 2 a tool is missing.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = Path("/usr/include/csmith")

# Everything csmith has on by default stays on: pointers (to pointers, to locals, to fields), structs and unions by
# value, bit-fields, packed structs (`#pragma pack`), arrays, `goto`, 64-bit arithmetic, comma, embedded assignments,
# const. These options deviate:
PROFILE = [
    # An object declared volatile that the program never writes has any value at each read, as if a device changed it.
    "--no-volatiles", "--no-volatile-pointers", "--no-vol-struct-union-fields",
    # The parameters of the entry are unknown inputs; `main(void)` has none.
    "--no-argc",
    # Inline functions are off by default; here half of the functions are `inline`.
    "--inline-function",
    # Only the text matters: no statistics.
    "--concise",
]
# Builtins (`__builtin_ctz`, ...) stay off: several are undefined for zero, and csmith does not guard them.
# `float` is a profile of its own (--float), so that a program that differs says whether floats are to blame.

MODELS = {"32": ["-m32", "-msse2", "-mfpmath=sse"], "64": ["-m64"]}
GCC = ["gcc", "-std=gnu11", "-O0", "-fwrapv", "-fgnu89-inline", "-w"]
# csmith takes addresses in packed structs; x86 does not mind.
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize=shift-base,alignment", "-fno-sanitize-recover=all",
             "-ftrivial-auto-var-init=pattern"]
CSMITH_SECONDS, GCC_SECONDS = 60, 60
CHECKSUM = re.compile(rb"checksum = ([0-9A-Fa-f]+)")


def run(command, seconds, directory):
    """Status, standard output and the last line of standard error; the status is None after `seconds`."""
    process = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        status = None
    lines = errors.decode(errors="replace").strip().splitlines()
    return status, output, lines[-1] if lines else ""


def cause(message):
    """A message without what differs from program to program: places, names, numbers."""
    message = re.sub(r"^.*?\S+:\d+:\d+: ", "", message)
    message = re.sub(r"[`'‘][^`'’]*['’`]", "_", message)
    return re.sub(r"\b(?:0x[0-9a-f]+|[a-z]+_\d+|\d+)\b", "#", message)[:120] or "no message"


class Campaign:
    """What a call works on: settings, the results so far and the file they are appended to."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.failing = arguments.dir / "failing"
        self.failing.mkdir(parents=True, exist_ok=True)
        self.table = arguments.dir / "results.tsv"
        self.lock = threading.Lock()
        self.results = {}
        if self.table.exists():
            for line in self.table.read_text().splitlines():
                fields = line.split("\t")
                # A line that was cut off by an interruption is decided again.
                if len(fields) == 4:
                    self.results[int(fields[0]), fields[1]] = (fields[2], fields[3])

    def record(self, number, model, outcome, detail=""):
        detail = detail.replace("\t", " ")
        with self.lock:
            self.results[number, model] = (outcome, detail)
            with self.table.open("a") as file:
                file.write(f"{number}\t{model}\t{outcome}\t{detail}\n")

    def program(self, number):
        """Decides both models of one program, unless they are decided already."""
        todo = [model for model in self.arguments.models if (number, model) not in self.results]
        if not todo:
            return
        # csmith writes platform.info where it runs.
        with tempfile.TemporaryDirectory(prefix="csmith") as scratch:
            directory = Path(scratch)
            source = directory / f"{number}.c"
            options = PROFILE + (["--float"] if self.arguments.float else [])
            seed = str(self.arguments.base + number)
            command = ["csmith", "--seed", seed, *options, *self.arguments.extra.split(), "--output", str(source)]
            status, _, message = run(command, CSMITH_SECONDS, directory)
            if status != 0:
                for model in todo:
                    self.record(number, model, "csmith timeout" if status is None else "csmith error", message)
                return
            outcome = ""
            for model in todo:
                # A program that does not end in one model does not end in the other.
                if outcome == "gcc timeout":
                    self.record(number, model, outcome)
                    continue
                outcome, detail = self.compare(source, model)
                self.record(number, model, outcome, detail)
                if outcome in ("different", "undefined", "unsupported", "error", "syncline timeout"):
                    shutil.copyfile(source, self.failing / source.name)

    def compare(self, source, model):
        """Outcome and detail of one program in one model."""
        directory, limit = source.parent, self.arguments.time
        program = directory / f"{source.stem}.{model}"
        include = ["-I", str(self.arguments.include)]
        compiler = [*GCC, *MODELS[model], *include, str(source), "-o", str(program)]
        status, _, message = run(compiler, GCC_SECONDS, directory)
        if status != 0:
            return "gcc refuses", message
        status, output, message = run([str(program)], self.arguments.gcc_time, directory)
        expected = CHECKSUM.search(output)
        if status is None:
            return "gcc timeout", ""
        if status != 0 or not expected:
            return "gcc refuses", f"the program ends with {status} {message}"
        tool = [str(self.arguments.syncline), "run", f"--{model}", "--time", str(limit), *include, str(source)]
        status, output, message = run(tool, limit + 10, directory)
        actual = CHECKSUM.search(output)
        if actual:
            if actual.group(1) == expected.group(1):
                return "same", ""
            detail = f"gcc {expected.group(1).decode()} syncline {actual.group(1).decode()}"
            return ("different" if self.defined(source, model, expected.group(1)) else "undefined"), detail
        if status is None or "time" in message.lower() and "unsupported" not in message:
            return "syncline timeout", message
        if "unsupported" in message or "not modelled" in message:
            return "unsupported", message
        return "error", f"status {status}: {message}"

    def defined(self, source, model, expected):
        """Does gcc print the same when optimising, and with sanitizers and a pattern in what was never written? csmith
        promises that, and seldom breaks it."""
        program = source.parent / f"{source.stem}.{model}.check"
        include = ["-I", str(self.arguments.include)]
        for options in (["-O2"], SANITIZED):
            command = [*GCC, *MODELS[model], *options, *include, str(source), "-o", str(program)]
            if run(command, GCC_SECONDS, source.parent)[0] != 0:
                continue
            status, output, _ = run([str(program)], 10 * self.arguments.gcc_time, source.parent)
            actual = CHECKSUM.search(output)
            if status is not None and (not actual or actual.group(1) != expected):
                return False
        return True

    def summary(self, numbers):
        """Prints the counts; true if nothing differs and nothing was refused."""
        wanted = [value for (number, _), value in self.results.items() if number in numbers]
        counts = collections.Counter(outcome for outcome, _ in wanted)
        order = ["same", "different", "undefined", "error", "unsupported", "syncline timeout", "gcc timeout",
                 "gcc refuses", "csmith timeout", "csmith error"]
        print(f"{len(wanted)} runs: " + ", ".join(f"{counts[name]} {name}" for name in order if counts[name]))
        for kind in ("unsupported", "error", "gcc refuses"):
            causes = collections.Counter(cause(detail) for outcome, detail in wanted if outcome == kind)
            for text, count in causes.most_common(20):
                print(f"{count:7} {kind}: {text}")
        different = sorted({number for (number, _), (outcome, _) in self.results.items()
                            if outcome == "different" and number in numbers})
        if different:
            print(f"different: {different[:40]}, kept in {self.failing}")
        return not (counts["different"] or counts["error"] or counts["unsupported"])


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--start", type=int, default=0, help="number of the first program")
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--base", type=int, default=1000000, help="seed of program 0")
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--float", action="store_true", help="with float, which csmith leaves out by default")
    parser.add_argument("--extra", default="", help="further options for csmith, as one text; use another --dir")
    parser.add_argument("--dir", type=Path, help="results and failing programs (default: target/csmith[-float])")
    parser.add_argument("--syncline", type=Path, default=ROOT / "target/release/syncline")
    parser.add_argument("--include", type=Path, default=HEADERS, help="where csmith.h is")
    parser.add_argument("--time", type=int, default=60, help="seconds for syncline")
    parser.add_argument("--gcc-time", type=int, default=3, help="seconds for gcc's program; longer ones do not count")
    parser.add_argument("--again", action="store_true", help="decide again what is not the same")
    arguments = parser.parse_args()
    if arguments.dir is None:
        arguments.dir = ROOT / ("target/csmith-float" if arguments.float else "target/csmith")
    return arguments


def main():
    arguments = parse_arguments()
    needed = [
        (shutil.which("csmith"), "csmith (apt-get install csmith)"),
        ((arguments.include / "csmith.h").exists(), "csmith.h (apt-get install libcsmith-dev)"),
        (arguments.syncline.exists(), f"{arguments.syncline} (cargo build --release)"),
    ]
    for present, name in needed:
        if not present:
            print(f"missing: {name}", file=sys.stderr)
            return 2
    numbers = range(arguments.start, arguments.start + arguments.count)
    campaign = Campaign(arguments)
    if arguments.again:
        kept = ("same", "gcc timeout")
        campaign.results = {key: value for key, value in campaign.results.items() if value[0] in kept}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        futures = [pool.submit(campaign.program, number) for number in numbers]
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            future.result()
            if done % 50 == 0:
                print(f"{done} of {arguments.count} programs", file=sys.stderr, flush=True)
    return 0 if campaign.summary(numbers) else 1


if __name__ == "__main__":
    sys.exit(main())
