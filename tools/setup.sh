#!/usr/bin/env bash
# Installs what the build and the tests need and the machine lacks: gcc with 32-bit libraries, solvers, Graphviz and xmllint,
# and Z3 as a prebuilt library under third_party/z3. Does nothing the second time.
set -eu
cd "$(dirname "$0")/.."

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

missing=
command -v gcc >/dev/null || missing="$missing gcc"
echo 'int main(void){return 0;}' | gcc -m32 -x c - -o /dev/null 2>/dev/null || missing="$missing gcc-multilib"
python3 -m pip --version >/dev/null 2>&1 || missing="$missing python3-pip"
for tool in z3 cvc5; do command -v $tool >/dev/null || missing="$missing $tool"; done
command -v dot >/dev/null || missing="$missing graphviz"
command -v xmllint >/dev/null || missing="$missing libxml2-utils"
if [ -n "$missing" ]; then
    as_root apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends $missing
fi

version=5.4
if [ ! -e third_party/z3/lib/libz3.so.$version ]; then
    rm -rf third_party/z3.new
    mkdir -p third_party/z3.new
    python3 -m pip download --quiet --no-deps --only-binary=:all: --dest third_party/z3.new z3-solver==$version.0.0
    python3 -m zipfile -e third_party/z3.new/*.whl third_party/z3.new/wheel
    rm -rf third_party/z3
    mkdir third_party/z3
    mv third_party/z3.new/wheel/z3/lib third_party/z3.new/wheel/z3/include third_party/z3/
    [ -e third_party/z3/lib/libz3.so.$version ] || ln -s libz3.so third_party/z3/lib/libz3.so.$version
    rm -rf third_party/z3.new
fi
