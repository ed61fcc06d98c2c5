#!/usr/bin/env bash
# Fails when a crate reaches something its layer must not know (docs/architecture.md).
set -eu
cd "$(dirname "$0")/.."
status=0
forbid() {
    crate=$1
    shift
    tree=$(cargo tree --quiet --package "$crate" --edges normal --prefix none | cut -d' ' -f1)
    for other in "$@"; do
        if grep -qx "$other" <<<"$tree"; then
            echo "layering: $crate must not reach $other"
            status=1
        fi
    done
}
forbid syncline-ir lang-c z3 z3-sys clap syncline-frontend syncline-statechart syncline-engines
forbid syncline-frontend z3 z3-sys clap syncline-engines syncline-statechart
forbid syncline-statechart z3 z3-sys clap lang-c syncline-engines syncline-frontend
forbid syncline-engines lang-c clap syncline-frontend syncline-statechart
exit $status
