# Two commands are enough: make demo, make test. `make` alone lists the rest.
.DEFAULT_GOAL := help
.PHONY: help demo test suite check fix compat bench clean
SHELL := /bin/bash
# The tests start assay hundreds of times; compiled once, it starts sooner.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
SOURCES := src tests bench examples scripts

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

.venv/.ready: pyproject.toml scripts/setup
	@scripts/setup
	@touch $@

.venv/.ready-to-develop: pyproject.toml scripts/setup
	@scripts/setup dev,all
	@touch $@ .venv/.ready

demo: .venv/.ready ## score and analyse the bundled sample runs, and write a report
	@$(BIN)/assay import examples/runs --store out/demo.assay
	@$(BIN)/assay score out/demo.assay
	@$(BIN)/assay analyze errors out/demo.assay
	@$(BIN)/assay report out/demo.assay -o out/report.html
	@echo
	@echo "Open the report:      xdg-open out/report.html   (macOS: open out/report.html)"
	@echo "Why, case by case:    $(BIN)/assay score examples/runs --verbose"
	@echo "Browse the runs:      $(BIN)/pip install -e '.[web]' && $(BIN)/assay view out/demo.assay"
	@echo "Your own runs:        $(BIN)/assay import YOUR-FOLDER --store yours.assay"

test: .venv/.ready-to-develop ## set up and pass every test and check
	@$(MAKE) --no-print-directory -j 2 suite check \
	    || { echo "Not all passed. The tests are above; make check shows the checks."; exit 1; }

# Tests wait for servers, browsers and Java: three workers keep two cores busy.
suite: .venv/.ready-to-develop
	@$(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder --durations 20

check: .venv/.ready-to-develop ## formatting, lint, types, import contracts
	@$(BIN)/ruff format --check --quiet $(SOURCES)
	@$(BIN)/ruff check --quiet $(SOURCES)
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

fix: .venv/.ready-to-develop ## format, and fix what can be fixed automatically
	@$(BIN)/ruff check --quiet --fix $(SOURCES)
	@$(BIN)/ruff format --quiet $(SOURCES)

compat: .venv/.ready-to-develop ## the bridge against older deepeval versions
	@scripts/compat

bench: .venv/.ready-to-develop ## ratios against named peers, in an environment of their own
	@bench/run

clean: ## remove environments and caches
	@rm -rf .venv .compat .bench .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
