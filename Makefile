# What a contributor runs. `make lint doc test` is what has to pass before a change is merged.

CARGO ?= cargo

.PHONY: test test-full lint doc bench deny advisories

test: ## All tests, documentation examples included
	$(CARGO) test --workspace

test-full: ## The same with the long versions of the statistical and random tests
	OPTIMIST_FULL=1 $(CARGO) test --release --workspace

lint: ## Formatting, and clippy without warnings
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

doc: ## The documentation, without broken links
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --workspace

bench: ## The benchmarks
	$(CARGO) bench --workspace

# Advisories are a check of their own, because they need a database from the network that a closed machine cannot fetch.
deny: ## Licences, bans and sources of all dependencies, if cargo-deny is installed
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny check licenses bans sources; \
	else echo "make deny: skipped, cargo-deny is not installed (cargo install --locked cargo-deny)"; fi

advisories: ## Known faults of dependencies; needs cargo-deny and the network
	$(CARGO) deny check advisories
