#!/usr/bin/env bash
# Opens pages of --html in chromium: they must load without an error, need nothing from outside, and show what they are to
# show. Pictures of them are left in target/browser, to be looked at.
set -eu
cd "$(dirname "$0")/.."
command -v chromium >/dev/null || {
    as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
    as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core
}
syncline=${SYNCLINE:-./target/release/syncline}
out=target/browser
rm -rf $out
mkdir -p $out
status=0

browse() {
    timeout 120 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --disable-dev-shm-usage \
        --user-data-dir="$PWD/$out/profile" "$@" 2>>$out/chromium.log
}

# A page, and texts that its document must have once it is loaded.
page() {
    name=$1
    shift
    file=$out/$name.html
    dom=$(browse --dump-dom "file://$PWD/$file")
    browse --window-size=1280,2200 --screenshot="$PWD/$out/$name.png" "file://$PWD/$file" >/dev/null
    [ -s "$out/$name.png" ] || { echo "browser: $name: no picture"; status=1; }
    for text in "$@"; do
        grep -qF -- "$text" <<<"$dom" || { echo "browser: $name: no $text"; status=1; }
    done
    if grep -qE '(src|href)="(http|//|file)|@import|url\(' <<<"$dom"; then
        echo "browser: $name: needs something from outside"
        status=1
    fi
}

check() {
    file=$out/$1.html
    shift
    # 0, 10 and 5 are verdicts.
    "$syncline" check --html "$file" "$@" >/dev/null || case $? in 5 | 10) ;; *) exit 1 ;; esac
}

check window --time 5 examples/window.c
page window '<svg class="plot"' 'id="p-main.assertion.2"' 'motor' '>SAFE<' '>UNSAFE<'
check switch examples/synchronous/switch.c
page switch '<svg class="plot"' 'level_toggle' 'class="last"'
check lamp examples/statecharts/lamp.xml
page lamp '<svg class="plot"' 'The run in the chart' 'id="picture"' 'fading' '>CONST<'
check open --unwind 2 examples/window.c
page open '>UNKNOWN<' 'Undecided'
[ $status = 0 ] && echo "browser: all pages are as they should be; pictures are in $out"
exit $status
