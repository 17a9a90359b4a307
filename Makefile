# What a contributor runs. `make lint doc test` is what has to pass before a change is merged.

CARGO ?= cargo
# A crate of its own, as users write them. It shares the directory of the workspace for what both build alike.
OWN_POLICY = --manifest-path examples/own-policy/Cargo.toml --target-dir target

.PHONY: test test-full lint doc bench

test: ## All tests, documentation examples included
	$(CARGO) test --workspace
	$(CARGO) test $(OWN_POLICY)

test-full: ## The same with the long versions of the statistical and random tests
	OPTIMIST_FULL=1 $(CARGO) test --release --workspace

lint: ## Formatting, and clippy without warnings
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path examples/own-policy/Cargo.toml --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) clippy $(OWN_POLICY) --all-targets -- -D warnings

doc: ## The documentation, without broken links
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --workspace

bench: ## The benchmarks
	$(CARGO) bench --workspace
