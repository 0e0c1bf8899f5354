# `make` alone lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo check test build format lint rust-lint python-lint rust-test python-test browser docs \
  concepts pictures bench bench-peers fuzz sanitize clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 14

demo: $(VENV)/built ## the main job on the Python standard library's own source files
	$(BIN)/python -m subword._demo

# What takes long, what needs a cluster or a browser, and what compiles Rust is left to `make test`.
QUICK := not slow and not spark and not ray and not browser

check: $(VENV)/built ## the quick linters and the quick tests, for daily work: about two minutes
	cargo fmt --check
	$(BIN)/ruff format --check --quiet python tests bench docs
	$(BIN)/ruff check --quiet python tests bench docs
	$(BIN)/mypy
	$(BIN)/python -m pytest --quiet --numprocesses auto --dist worksteal -m '$(QUICK)'

test: ## everything that CI runs, side by side where that is possible
	$(MAKE) --jobs=3 lint rust-test python-test docs

build: $(VENV)/built ## build the engine into the virtual environment

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

$(VENV)/built: $(VENV)/installed $(RUST_SOURCES)
	$(BIN)/maturin develop --release --quiet
	touch $@

format: $(VENV)/installed ## format all code
	cargo fmt
	$(BIN)/ruff format python tests bench docs
	$(BIN)/ruff check --fix python tests bench docs

lint: rust-lint python-lint ## formatters, linters and type checkers, changing nothing

rust-lint:
	cargo fmt --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings

python-lint: $(VENV)/built
	$(BIN)/ruff format --check python tests bench docs
	$(BIN)/ruff check python tests bench docs
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest subword._core

rust-test: ## the engine's own tests
	cargo test --quiet --package subword-core --package subword-fuzz

python-test: $(VENV)/built ## the tests of the package, slow ones included
	$(BIN)/python -m pytest --quiet --numprocesses auto --dist worksteal

# The flags of the sanitizers are not stable; libFuzzer's own build has no use for link-time optimisation.
UNSTABLE := RUSTC_BOOTSTRAP=1 CARGO_PROFILE_RELEASE_LTO=off
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
SECONDS ?= 60

fuzz: $(VENV)/built ## make up inputs for every target, SECONDS=60 for each; stops at what is found
	cargo fuzz --version || cargo install --locked cargo-fuzz
	for target in load encode threads counts train split; do \
	  mkdir -p target/fuzz/$$target && \
	  $(UNSTABLE) cargo fuzz run --features libfuzzer --target $(HOST) $$target \
	    target/fuzz/$$target fuzz/corpus/$$target -- -max_total_time=$(SECONDS) -timeout=20 -max_len=8000 \
	    -detect_leaks=0 \
	    $$(ls fuzz/dictionaries/$$target.dict 2> /dev/null | sed 's/^/-dict=/') || exit; \
	done
	for name in manifests explorer; do $(BIN)/python -m tests.support.fuzzed $$name --seconds $(SECONDS) || exit; done

sanitize: ## the engine's own tests under AddressSanitizer
	$(UNSTABLE) RUSTFLAGS=-Zsanitizer=address cargo test --quiet --target $(HOST) --package subword-core --lib

docs: $(VENV)/built ## build the pages into target/docs; a warning is an error
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs target/docs

browser: ## install Chromium, which the tests of the explorer drive; without it they are skipped
	@command -v chromium > /dev/null || if [ "$$(id -u)" = 0 ]; then \
	  apt-get update --quiet=2 && apt-get install --yes --quiet=2 --no-install-recommends chromium; \
	else echo 'hint: sudo apt-get install chromium' && false; fi

pictures: $(VENV)/built ## take the pictures of the explorer, of a tokenizer that learns from CORPUS
	$(BIN)/python docs/explorer_pictures.py $(CORPUS)

concepts: $(VENV)/built ## draw the pictures of the docs, from CORPUS if it is given
	$(BIN)/python docs/concepts/plots.py $(CORPUS)
	$(BIN)/python docs/guide/sizes.py $(CORPUS)

bench-peers: ## install the peers that we are measured against
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH)/bin/python -m pip install --quiet --requirement bench/requirements-peers.txt
	-$(BENCH)/bin/python -m pip install --quiet 'cython<3' 'setuptools<70' wheel && \
	  $(BENCH)/bin/python -m pip install --quiet --no-build-isolation youtokentome==1.0.6

bench: bench-peers ## measure against the peers, and file the result
	$(BENCH)/bin/python -m pip install --quiet --force-reinstall --no-deps .
	$(BENCH)/bin/python -m pip install --quiet .
	$(BENCH)/bin/python bench/run.py

clean: ## remove what was built
	rm -rf target $(VENV) $(BENCH) .data demo
