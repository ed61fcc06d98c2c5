# The two commands: `make demo` and `make test`. Each installs what it needs first.
.PHONY: demo test setup build lint browser

demo: build
	./target/release/syncline check --time 5 examples/window.c || [ $$? -eq 10 ]

test: setup
	cargo test --workspace

build: setup
	cargo build --release

setup:
	tools/setup.sh

# What CI asks beside the tests.
lint: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	tools/layers.sh

# Opens pages of --html in chromium, and leaves pictures of them in target/browser.
browser: build
	tools/browser.sh
