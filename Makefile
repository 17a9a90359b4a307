# What a contributor runs. `make lint doc test` is what has to pass before a change is merged.

CARGO ?= cargo
# A crate of its own, as users write them. It shares the directory of the workspace for what both build alike.
OWN_POLICY = --manifest-path examples/own-policy/Cargo.toml --target-dir target

.PHONY: test test-full lint doc bench pictures check-features msrv deny advisories

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

pictures: ## The pictures of docs/images; those of the paper from paper-report/ (make it with `optimist paper`)
	$(CARGO) run --release -p optimist-cli -- pictures --out docs/images

check-features: ## Every crate with every choice of its features
	$(CARGO) check --workspace --lib --bins --no-default-features
	$(CARGO) check -p optimist --lib --features conformance
	$(CARGO) check -p optimist-lab --all-targets --no-default-features
	$(CARGO) check -p optimist-lab --all-targets --no-default-features --features graves-lai
	$(CARGO) check -p optimist-lab --all-targets --no-default-features --features parquet

# Clippy warns of anything newer than rust-version; the compiler itself is the proof.
OLDEST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv: ## A build with the oldest Rust that is promised, if rustup has it
	@if rustup toolchain list 2>/dev/null | grep -q '^$(OLDEST)'; \
	then cargo +$(OLDEST) check --workspace --locked --target-dir target/oldest; \
	else echo "make msrv: skipped, Rust $(OLDEST) is not installed (rustup toolchain install $(OLDEST))"; fi

# Advisories are apart, because they need a database from the network, which a closed machine cannot fetch.
deny: ## Licences, bans and sources of all dependencies, if cargo-deny is installed
	@if $(CARGO) deny --version >/dev/null 2>&1; \
	then $(CARGO) deny check licenses bans sources; \
	else echo "make deny: skipped, cargo-deny is not installed (cargo install --locked cargo-deny)"; fi

advisories: ## Known faults of dependencies; needs cargo-deny and the network
	$(CARGO) deny check advisories
