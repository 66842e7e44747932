# multihop: set-up, demonstration, tests. `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes
MATURIN := $(VENV)/.maturin.installed
REPORT := $(VENV)/.report.installed
LOCK := $(VENV)/.requirements.installed
ENGINE := $(VENV)/.engine.compiled
BUILD := $(VENV)/.engine.built
PAPERS := $(VENV)/.papers.installed
# Python packages are installed while the engine and the tests compile, which leave cores idle.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=3
endif
RESOLVE := uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-find-links pyproject.toml
ENGINE_SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find crates -name '*.rs' -o -name Cargo.toml)

# Properties are tried on the same cases everywhere; `cargo test` by itself draws new ones.
export PROPTEST_RNG_SEED ?= 1

.PHONY: help setup fast demo reproduce test test-built test-rest test-all wheel lint docs guard where bench scale answers schema page fuzz lock clean
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "%-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(BUILD) $(PAPERS) $(LOCK) ## Make .venv with the package built for release in it

fast: $(LOCK) $(PAPERS) ## Build the engine quickly, for development; the next `make setup` builds it for release
	PIP_QUIET=1 $(BIN)/maturin develop --profile fast --locked --quiet
	@rm -f $(ENGINE) $(BUILD)

demo: $(BUILD) $(PAPERS) ## Judge a headline of each paper, and a small tournament; out/demo/report.html
	$(BIN)/multihop demo --out out/demo

reproduce: setup ## Run every study at quick scale and judge the papers' claims; out/reproduce/report.html
	$(BIN)/multihop reproduce all --scale quick --out out/reproduce

test: test-built setup ## What a change needs: all tests but the slow ones
	cargo test --workspace --locked --quiet
	$(BIN)/python -m pytest -n logical --dist loadfile -m "not slow and not wheel"

# Beside the engine: cargo keeps the two in folders of their own, and each leaves cores idle.
test-built:
	cargo test --workspace --locked --no-run

test-rest: setup ## What the last `make test` left out: slow tests, and those whose programs were missing
	$(BIN)/python -m pytest -n logical --dist loadfile --rest || [ $$? -eq 5 ]

test-all: ## All tests
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory test-rest

wheel: setup ## Build a wheel and try it in an environment with the core alone
	$(BIN)/python -m pytest -m wheel tests/test_wheel.py

lint: setup ## Formatting, clippy, rustdoc, ruff, mypy
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@set -e; for file in papers/*/*.py; do $(BIN)/mypy $$file; done

docs: setup ## Build the documentation site into out/site; a link that leads nowhere fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench: setup ## Time the engine against ns-2.35 and ns-3, where installed; evidence/performance.md
	$(BIN)/python benches/peers.py --page evidence/performance.md

scale: setup ## Time networks of up to 100,000 nodes; evidence/performance.md
	$(BIN)/python benches/scale.py --page evidence/performance.md

answers: setup ## Time ten questions from the study file to the interval; evidence/performance.md
	$(BIN)/python -m benches.answers --page evidence/performance.md

where: setup ## Count a run's instructions by layer (needs valgrind); evidence/performance.md
	$(BIN)/python -m benches.where --page evidence/performance.md

guard: setup ## Compare the instructions of six runs with those on record (needs valgrind)
	$(BIN)/python benches/instructions.py

schema: setup ## Make what is made from the engine and the metrics: types, names, tables of docs/use
	$(BIN)/python -m tools.result_schema
	$(BIN)/python -m tools.events_page
	$(BIN)/python -m tools.metric_names
	$(BIN)/python -m tools.study_costs

page: ## Bundle viewer/ into the package, for `multihop replay` and `multihop lab` (needs Node.js 20)
	cd viewer && npm ci --silent && npm run --silent build

fuzz: setup ## Give malformed input to every reader; MINUTES each, TARGETS; findings in out/fuzz (Linux)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r fuzz/requirements.txt
	$(BIN)/python -m fuzz $(TARGETS) --minutes $(or $(MINUTES),1)

lock: ## Resolve requirements*.lock anew from pyproject.toml (needs uv)
	$(RESOLVE) --extra dev --upgrade -o requirements.lock
	$(RESOLVE) --extra report --no-annotate --constraints requirements.lock -o requirements-report.lock

clean: ## Remove what the targets made
	rm -rf $(VENV) out target

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "multihop needs Python 3.11 or newer: make setup PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(MATURIN): requirements.lock | $(BIN)/python
	@sed -n '/^maturin==/,/^    # via/p' $< > $(VENV)/maturin.lock
	$(PIP) -r $(VENV)/maturin.lock
	@touch $@

$(REPORT): requirements-report.lock | $(MATURIN)
	@echo "Installing what runs and reports need: about 40 s, while the engine compiles"
	$(PIP) -r $<
	@touch $@

$(LOCK): requirements.lock | $(REPORT)
	@echo "Installing what tests and checks need: about 30 s"
	$(PIP) -r $<
	@touch $@

$(ENGINE): $(ENGINE_SOURCES) | $(MATURIN)
	@echo "Compiling the engine: about 90 s the first time"
	@(for left in 75 60 45 30 15; do sleep 15 >/dev/null 2>&1; echo "  compiling: about $$left s left"; done) & \
	  said=$$!; trap "kill $$said 2>/dev/null || true" EXIT; \
	  $(BIN)/maturin develop --release --locked --quiet --skip-install
	@touch $@

$(BUILD): $(ENGINE) $(REPORT)
	@PIP_QUIET=1 $(BIN)/maturin develop --release --locked --quiet
	@touch $@

$(PAPERS): papers/pyproject.toml papers/backend.py | $(REPORT)
	@$(PIP:--require-hashes=--no-index) --no-deps --no-build-isolation --editable papers
	@touch $@
