# Everything a newcomer needs; each target makes .venv when it is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Containers often forbid compiled files; then each of a thousand processes compiles everything anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo house mutants test test-browser test-matrix check torture fuzz bench benchmark accuracy wheel requirements sbom licences clean

demo: $(VENV)/.installed
	$(BIN)/linkprior demo

# Files of tests side by side, on every core; TEST_OPTIONS= for one after the other.
TEST_OPTIONS ?= -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder
test: $(VENV)/.installed-test
	$(BIN)/python -m pytest $(TEST_OPTIONS)

# Pages in Chromium (Debian: apt-get install chromium; LINKPRIOR_CHROMIUM names another one).
test-browser: $(VENV)/.installed-test
	$(BIN)/python -m pytest tests/browser -rs

# Every Python here, oldest and newest dependencies; MATRIX_TESTS and MATRIX_CELLS name a part.
test-matrix: $(VENV)/.installed
	TEST_OPTIONS="$(TEST_OPTIONS)" $(BIN)/python -m tools.matrix

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	LINKPRIOR_KERNELS=portable NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m "not at_length" --hypothesis-profile short $(TEST_OPTIONS) --cov --cov-report=term --cov-fail-under=90

# Size and shape of the package, as in ARCHITECTURE.md; HOUSE=--details says what is counted.
house: $(VENV)/.installed-test
	$(BIN)/python -m tools.house $(HOUSE)

# Kills, failing writes, locks, other workers and processors, odd numbers, a soak: within the hour; TORTURE_SECONDS names less.
TORTURE_SECONDS ?= 3000
torture: $(VENV)/.installed-test
	$(BIN)/python -m torture --seconds $(TORTURE_SECONDS)

# Small errors put into the code: which share do the tests notice? A random sample of each package.
MUTANTS ?= --sample 40 --seconds 600
mutants: $(VENV)/.installed-test
	$(BIN)/python -m mutants $(MUTANTS)

# Random and damaged files, until Ctrl-C; goes on where it was. FUZZ="edgelist --seconds 600" names less.
fuzz: $(VENV)/.installed-fuzz
	$(BIN)/python -m fuzz $(FUZZ)

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.run

benchmark: $(VENV)/.installed-bench
	$(BIN)/linkprior benchmark -o benchmarks/results/suite

accuracy: $(VENV)/.installed
	$(BIN)/python -m benchmarks.accuracy

# The same bytes wherever it is built: the build backend writes no times of its own.
wheel: $(VENV)/.installed-test
	$(BIN)/python -m hatchling build -t wheel

# Pins and hashes of the default dependencies; asks the package index that pip is set up for.
requirements: $(VENV)/.installed
	$(BIN)/python -m tools.requirements requirements/default.txt

sbom: $(VENV)/.installed
	$(BIN)/python -m tools.sbom dist/linkprior.cdx.json

licences: $(VENV)/.installed-test
	$(BIN)/python -m tools.licences

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .[test]
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .[test,dev]
	touch $@

$(VENV)/.installed-fuzz: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .[test,fuzz]
	touch $@

$(VENV)/.installed-bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .[bench]
	touch $@

clean:
	rm -rf $(VENV) build dist .matrix .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
