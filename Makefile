# multihop: set-up, demonstration, tests. `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK := $(VENV)/.requirements.installed
BUILD := $(VENV)/.engine.built
ENGINE_SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find crates -name '*.rs' -o -name Cargo.toml)

.PHONY: help setup fast demo reproduce test test-rust test-python lint docs guard bench scale schema lock clean
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "%-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(BUILD) ## Make .venv with the package built for release in it

fast: $(LOCK) ## Build the engine quickly, for development; the next `make setup` builds it for release
	PIP_QUIET=1 $(BIN)/maturin develop --profile fast --locked --quiet
	@rm -f $(BUILD)

demo: setup ## Judge the papers' headlines at quick scale, under every reading; out/demo/report.html
	$(BIN)/multihop headlines --scale quick --out out/demo

reproduce: setup ## Run every study at quick scale and judge the papers' claims; out/reproduce/report.html
	$(BIN)/multihop reproduce all --scale quick --out out/reproduce

test: test-rust test-python ## All tests

test-rust:
	cargo test --workspace --locked

test-python: setup
	$(BIN)/python -m pytest -n logical --dist loadfile

lint: setup ## Formatting, clippy, rustdoc, ruff, mypy
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: setup ## Build the documentation site into out/site; a link that leads nowhere fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench: setup ## Time the engine against ns-2.35 and ns-3, where installed; docs/performance.md
	$(BIN)/python benches/peers.py --page docs/performance.md

scale: setup ## Time networks of up to 100,000 nodes; docs/performance.md
	$(BIN)/python benches/scale.py --page docs/performance.md

guard: setup ## Compare the instructions of five runs with those on record (needs valgrind)
	$(BIN)/python benches/instructions.py

schema: setup ## Make what is made from the engine and the metrics: types, names, docs/results.md, docs/events.md
	$(BIN)/python -m tools.result_schema
	$(BIN)/python -m tools.events_page
	$(BIN)/python -m tools.metric_names

lock: ## Resolve requirements.lock anew from pyproject.toml (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --extra dev --upgrade \
	  --no-header --no-emit-find-links pyproject.toml -o requirements.lock

clean: ## Remove what the targets made
	rm -rf $(VENV) out target

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "multihop needs Python 3.11 or newer: make setup PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(LOCK): requirements.lock | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

$(BUILD): $(LOCK) $(ENGINE_SOURCES)
	PIP_QUIET=1 $(BIN)/maturin develop --release --locked --quiet
	@touch $@
