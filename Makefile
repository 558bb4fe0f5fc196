# Every target creates .venv and installs what it needs, once.
PYTHON ?= python3
BIN := .venv/bin
export OPENBLAS_NUM_THREADS = 1
export OMP_NUM_THREADS = 1
export MKL_NUM_THREADS = 1

.DEFAULT_GOAL := help
.PHONY: help install reproduce test check docs bench torture clean

help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("firstmover needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

install: .venv/installed ## create .venv and install firstmover with its development tools

reproduce: install ## the main job: set up, replay the paper's experiments, write the report to results/
	$(BIN)/firstmover reproduce

test: install ## all tests and doctests, warnings as errors, on all cores
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

check: install ## what CI demands: ruff, mypy strict, import-linter, doctests, tests
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --cov --cov-report=term:skip-covered

docs: install ## run every example in the documentation
	$(BIN)/python -m pytest README.md docs tests/test_examples.py

.venv/bench: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench,fast]'
	touch $@

bench: .venv/bench ## firstmover and its peers side by side; writes docs/performance.md
	$(BIN)/firstmover bench --out docs

WHAT ?= tests/torture tests
torture: install ## the long programmes: kill, fuzz, soak; one of them: WHAT=tests/torture/test_soak.py
	$(BIN)/python -m pytest $(WHAT) -m slow --numprocesses auto --dist worksteal

clean: ## remove .venv, caches and results
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage results
