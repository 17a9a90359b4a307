# What a contributor runs. `make lint doc test` is what has to pass before a change is merged.

CARGO ?= cargo
# A crate of its own, as users write them. It shares the directory of the workspace for what both build alike.
OWN_POLICY = --manifest-path examples/own-policy/Cargo.toml --target-dir target

# What Python needs lives in an environment of its own, below target.
PYTHON ?= python3
VENV = target/python
WHEELS = target/wheels
IN_VENV = VIRTUAL_ENV=$(abspath $(VENV)) PATH=$(abspath $(VENV))/bin:$$PATH

# Other libraries bring dozens of packages of their own, which nothing else here needs.
PEERS = target/peers-python

# What `optimist new-policy` writes, and one that it has written.
MY_POLICY = --manifest-path examples/my-policy/Cargo.toml --target-dir target
NEW_POLICY = target/new-policy/thrifty

.PHONY: test test-rust test-new-policy test-python wheel python-bench bench-peers test-full lint doc bench pictures check-features msrv deny advisories

test: test-rust test-python ## All tests, documentation examples included

test-rust: ## Those of Rust
	$(CARGO) test --workspace
	$(CARGO) test $(OWN_POLICY)
	$(CARGO) test $(MY_POLICY)
	$(MAKE) test-new-policy

# The versions are those of the example, so that nothing has to be fetched, and all but the crate itself is compiled already.
test-new-policy: ## What `optimist new-policy thrifty` writes compiles, passes its tests and runs: docs/own-policy.md
	rm -rf target/new-policy
	$(CARGO) run --quiet -p optimist-cli -- new-policy thrifty --library . --out $(NEW_POLICY)
	sed 's/^name = "my-policy"/name = "thrifty"/' examples/my-policy/Cargo.lock > $(NEW_POLICY)/Cargo.lock
	$(CARGO) test --quiet --manifest-path $(NEW_POLICY)/Cargo.toml --target-dir target
	sed 's/^horizon = 2000/horizon = 50/' $(NEW_POLICY)/experiment.toml > target/new-policy/short.toml
	cd target/new-policy && $(CARGO) run --quiet --manifest-path thrifty/Cargo.toml --target-dir .. -- short.toml
	test -s target/new-policy/results/thrifty/report.html

# The profile of the other tests, so that nothing is compiled a second time with other settings.
test-python: $(VENV)/ready ## Those of Python: builds the wheel, installs it, and runs pytest
	rm -rf target/test-wheels
	cd python && $(IN_VENV) maturin build --quiet --locked --profile dev --out ../target/test-wheels
	$(VENV)/bin/pip install --quiet --no-deps --force-reinstall target/test-wheels/*.whl
	$(IN_VENV) pytest -c python/pyproject.toml python/tests

wheel: $(VENV)/ready ## The wheel, in target/wheels
	cd python && $(IN_VENV) maturin build --locked --profile wheel --out ../$(WHEELS)
	@ls -l $(WHEELS)

python-bench: wheel ## What Python adds to a round, how long an import takes, whether memory stays flat, two workers beside one
	$(VENV)/bin/pip install --quiet --no-deps --force-reinstall $(WHEELS)/*.whl
	for script in python/benchmarks/*.py; do echo "== $$script"; $(VENV)/bin/python $$script || exit 1; done

# Hours of processor time from scratch; what was played is kept in target/peers, and the same call goes on from there.
bench-peers: wheel $(PEERS)/ready ## The race against other libraries on public data: docs/benchmarks.md, its figure and docs/results
	$(PEERS)/bin/pip install --quiet --no-deps --force-reinstall $(WHEELS)/*.whl
	cd python/benchmarks && $(abspath $(PEERS))/bin/python -m peers
	$(CARGO) run --release -p optimist-cli -- pictures --only peers --out docs/images

$(PEERS)/ready: python/benchmarks/peers/requirements.txt $(VENV)/ready
	$(PYTHON) -m venv --clear $(PEERS)
	$(PEERS)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

$(VENV)/ready: python/requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || \
	{ echo "make: Python 3.10 or later is needed as $(PYTHON) (on Debian and Ubuntu: apt install python3 python3-venv)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	{ echo "make: $(PYTHON) has no venv (on Debian and Ubuntu: apt install python3-venv)"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --requirement python/requirements.txt
	@touch $@

test-full: $(VENV)/ready ## The same with the long versions of the statistical and random tests, and with Ray
	OPTIMIST_FULL=1 $(CARGO) test --release --workspace
	$(VENV)/bin/pip install --quiet ray
	OPTIMIST_FULL=1 $(MAKE) test-python

lint: ## Formatting, and clippy without warnings
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path examples/own-policy/Cargo.toml --check
	$(CARGO) fmt --manifest-path examples/my-policy/Cargo.toml --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) clippy $(OWN_POLICY) --all-targets -- -D warnings
	$(CARGO) clippy $(MY_POLICY) --all-targets -- -D warnings

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
