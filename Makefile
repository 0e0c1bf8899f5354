# `make` alone lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The engine, and what tests, linters and pages need.
DEV := $(VENV)/built $(VENV)/installed
BENCH := .venv-bench
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo check test build format lint rust-lint python-lint rust-test python-test browser docs transformers \
  concepts pictures bench bench-peers fuzz sanitize arm clean data lock wheel

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 14

demo: $(VENV)/built ## the main job on the Python standard library's own source files
	$(BIN)/python -m subword._demo

# What takes long, what needs a cluster or a browser, and what compiles Rust is left to `make test`.
QUICK := not slow and not spark and not ray and not browser

check: $(DEV) ## the quick linters and the quick tests, for daily work: about two minutes
	cargo fmt --check
	$(BIN)/ruff format --check --quiet python tests bench docs
	$(BIN)/ruff check --quiet python tests bench docs
	$(BIN)/mypy
	$(BIN)/python -m pytest --quiet --numprocesses auto --dist worksteal -m '$(QUICK)'

test: ## everything that CI runs, side by side where that is possible
	$(MAKE) --jobs=3 lint rust-test python-test docs

data: ## fetch the vocabularies and texts of the parity tests and the benchmark into .data (100 MB)
	$(PYTHON) -m tests.data $(addprefix --text ,$(TEXTS))

build: $(VENV)/built ## build the engine into the virtual environment

# Enough to build the engine and to run the demonstration.
$(VENV)/base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet 'maturin>=1.9,<2'
	touch $@

# Into this environment, whichever one the caller's shell has activated.
$(VENV)/built: $(VENV)/base $(RUST_SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --locked --quiet
	touch $@

# Everything that tests, linters and pages need: these versions and no others, by their hashes.
$(VENV)/installed: $(VENV)/base requirements-dev.txt
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements-dev.txt
	touch $@

lock: $(VENV)/base ## choose the versions of the development environment anew
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.10 --generate-hashes --no-header \
	  --group development --output-file requirements-dev.txt pyproject.toml

# For another platform, with its standard library (`rustup target add`) and zig (`pip install ziglang`):
# make wheel WHEEL="--zig --target aarch64-unknown-linux-gnu --interpreter python3.11".
WHEEL ?= --interpreter $(BIN)/python

wheel: $(VENV)/base ## build a wheel into dist/, stripped, as a release does, and try it in an empty environment
	rm -rf dist
	$(BIN)/maturin build --quiet --locked $(WHEEL) --out dist
	case '$(WHEEL)' in *--target*) ls dist;; *) $(BIN)/python tests/clean.py dist/*.whl;; esac

format: $(VENV)/installed ## format all code
	cargo fmt
	$(BIN)/ruff format python tests bench docs
	$(BIN)/ruff check --fix python tests bench docs

lint: rust-lint python-lint ## formatters, linters and type checkers, changing nothing

rust-lint:
	cargo fmt --check
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings

python-lint: $(DEV)
	$(BIN)/ruff format --check python tests bench docs
	$(BIN)/ruff check python tests bench docs
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest subword._core

# Where the published vocabularies are; packed ones beside the repository are unpacked first.
DATA := $(or $(SUBWORD_DATA),$(CURDIR)/.data)

rust-test: ## the engine's own tests
	cargo test --quiet --locked --package subword-core --package subword-fuzz
	@[ ! -f ../shared/data/unpack.py ] || $(PYTHON) -m tests.data
	@if [ -d $(DATA)/vocabs ]; then \
	  SUBWORD_DATA=$(DATA) cargo test --quiet --locked --package subword-core --lib -- --ignored published; \
	else \
	  echo 'skipped: published_tokenizers_load_and_come_back: no published vocabularies (make data)'; \
	fi

python-test: $(DEV) ## the tests of the package, slow ones included
	$(BIN)/python -m pytest --quiet --numprocesses auto --dist worksteal

# The flags of the sanitizers are not stable; libFuzzer's own build has no use for link-time optimisation.
UNSTABLE := RUSTC_BOOTSTRAP=1 CARGO_PROFILE_RELEASE_LTO=off
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
SECONDS ?= 60

fuzz: $(DEV) ## make up inputs for every target, SECONDS=60 for each; stops at what is found
	cargo fuzz --version || cargo install --locked cargo-fuzz
	for target in load sentencepiece encode threads counts train split; do \
	  mkdir -p target/fuzz/$$target && \
	  $(UNSTABLE) cargo fuzz run --features libfuzzer --target $(HOST) $$target \
	    target/fuzz/$$target fuzz/corpus/$$target -- -max_total_time=$(SECONDS) -timeout=20 -max_len=8000 \
	    -detect_leaks=0 \
	    $$(ls fuzz/dictionaries/$$target.dict 2> /dev/null | sed 's/^/-dict=/') || exit; \
	done
	for name in manifests explorer; do $(BIN)/python -m tests.support.fuzzed $$name --seconds $(SECONDS) || exit; done

sanitize: ## the engine's own tests under AddressSanitizer
	$(UNSTABLE) RUSTFLAGS=-Zsanitizer=address cargo test --quiet --target $(HOST) --package subword-core --lib

# A compiler that has the standard library of ARM: the usual one, or Debian's.
ARM := aarch64-unknown-linux-gnu
ARM_RUSTC ?= $(shell for rustc in rustc /usr/bin/rustc; do \
  [ ! -d "$$($$rustc --print target-libdir --target $(ARM) 2> /dev/null)" ] || { echo $$rustc; break; }; done)
# Debian's cross compiler has a C library of its own, for machines that have none for ARM.
EMULATOR := qemu-aarch64-static $(if $(wildcard /lib/ld-linux-aarch64.so.1),,-L /usr/aarch64-linux-gnu)
# Of the tests that go through all cases, every n-th one.
EVERY ?= 61

arm: ## the engine's own tests on ARM, in an emulator; TESTS=simd for some of them
	@command -v qemu-aarch64-static > /dev/null && command -v aarch64-linux-gnu-gcc > /dev/null && \
	  [ -n '$(ARM_RUSTC)' ] || { echo 'hint: CONTRIBUTING.md says what has to be installed'; false; }
	RUSTC=$(ARM_RUSTC) CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER='$(EMULATOR)' \
	  SUBWORD_EXPECT_SIMD=scalar,neon SUBWORD_TEST_EVERY=$(EVERY) \
	  cargo test --quiet --locked --target $(ARM) --package subword-core --lib $(TESTS)

# The oldest version that is supported, which the environment of the tests cannot hold as well.
OLDER := .venv-older

transformers: $(DEV) ## transformers' own tests on accelerated tokenizers, and ours on transformers 4
	$(BIN)/python -m tests.support.transformers_tests
	$(PYTHON) -m venv $(OLDER)
	$(OLDER)/bin/python -m pip install --quiet transformers==4.57.6 sentencepiece==0.2.2 tiktoken==0.14.0 \
	  click datasets hypothesis jinja2 protobuf pyarrow pytest pytest-timeout tqdm
	PYTHONPATH=python $(OLDER)/bin/python -m pytest --quiet tests/integrations/test_accelerated.py \
	  tests/integrations/test_accelerated_calls.py

docs: $(DEV) ## build the pages into target/docs; a warning is an error
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs target/docs

browser: ## install Chromium, which the tests of the explorer drive; without it they are skipped
	@command -v chromium > /dev/null || if [ "$$(id -u)" = 0 ]; then \
	  apt-get update --quiet=2 && apt-get install --yes --quiet=2 --no-install-recommends chromium; \
	else echo 'hint: sudo apt-get install chromium' && false; fi

pictures: $(DEV) ## take the pictures of the explorer, of a tokenizer that learns from CORPUS
	$(BIN)/python docs/explorer_pictures.py $(CORPUS)

concepts: $(DEV) ## draw the pictures of the docs, from CORPUS if it is given
	$(BIN)/python docs/concepts/plots.py $(CORPUS)
	$(BIN)/python docs/guide/sizes.py $(CORPUS)
	@echo 'the picture of fair training: $(BIN)/python docs/guide/fairness.py en.txt fr.txt ...'

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
	rm -rf target dist $(VENV) $(OLDER) $(BENCH) .data demo
