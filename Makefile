# Everything a newcomer needs; each target makes .venv when it is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-browser check bench benchmark accuracy clean

demo: $(VENV)/.installed
	$(BIN)/linkprior demo

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest

# Pages in Chromium (Debian: apt-get install chromium; LINKPRIOR_CHROMIUM names another one).
test-browser: $(VENV)/.installed-test
	$(BIN)/python -m pytest tests/browser -rs

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	LINKPRIOR_KERNELS=portable NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest --cov --cov-report=term --cov-fail-under=90

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.run

benchmark: $(VENV)/.installed-bench
	$(BIN)/linkprior benchmark -o benchmarks/results/suite

accuracy: $(VENV)/.installed
	$(BIN)/python -m benchmarks.accuracy

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

$(VENV)/.installed-bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .[bench]
	touch $@

clean:
	rm -rf $(VENV) build dist .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
