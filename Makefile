# Every target creates .venv and installs its requirements on first use.
PYTHON ?= python3
BIN := .venv/bin
export OPENBLAS_NUM_THREADS = 1
export OMP_NUM_THREADS = 1
export MKL_NUM_THREADS = 1

.DEFAULT_GOAL := help
.PHONY: help install reproduce studies arena fresh decisions test docs bench torture mutants audit clean

help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("firstmover needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

install: .venv/installed ## create .venv and install firstmover with its development tools

reproduce: install ## the main job: repeat the paper's experiments and write results/report.html
	$(BIN)/firstmover reproduce

studies: install ## play the studies beyond the paper and write results/beyond.html: about seven minutes
	$(BIN)/python -m studies

arena: install ## rank auto, hand-tuned learners and baselines on 33 fixed instances, write results/arena
	$(BIN)/firstmover arena

fresh: install ## study auto on fresh games of all families: about 25 minutes
	$(BIN)/python -m studies arena fresh-alarms fresh-outliers fresh-parks fresh-simplex fresh-prices fresh-template fresh-cost

decisions: install ## study contexts, closures, changed menus, overrides and floors on fresh games: about 70 minutes
	$(BIN)/python -m studies fresh-hints fresh-kiosks fresh-contexts fresh-closures fresh-menus fresh-overrides fresh-floors

WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)  # one more than cores: many tests wait for other processes
test: install ## every check: ruff, mypy, import-linter, ESLint, tsc, and all quick tests and doctests
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	web/check
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

docs: install ## build the documentation in docs/_build/html, execute its gallery, check its links, run its examples
	rm -rf docs/_build
	$(BIN)/sphinx-build --fail-on-warning --keep-going --fresh-env docs docs/_build/html
	SITE=docs/_build/html $(BIN)/python -m pytest README.md docs tests/test_examples.py tests/test_docs.py tests/test_site.py

.venv/bench: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench]'
	touch $@

bench: .venv/bench ## compare speed and accuracy with other libraries; writes docs/performance.md
	$(BIN)/python -m benchmarks.peers --out docs

WHAT ?= tests/torture tests
SCALE ?= 1
torture: install ## long tests: kill, fuzz, soak: 70 to 90 minutes; a single one: WHAT=tests/torture/test_soak.py
	SCALE=$(SCALE) $(BIN)/python -m pytest $(WHAT) -m slow --numprocesses auto --dist worksteal

audit: install ## compare the pinned versions with known vulnerabilities; needs the package index's advisory database
	$(PYTHON) -m venv .venv/audit
	.venv/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	.venv/audit/bin/pip-audit --strict --disable-pip --no-deps --requirement constraints.txt

mutants: install ## plant 400 random defects, run the tests that execute them, write results/mutants.md: about an hour
	$(BIN)/python -m mutants $(ARGS)

clean: ## remove .venv, caches and results
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage web/node_modules results docs/_build docs/_gallery
