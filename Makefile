# Two commands do everything, set-up included: `make grade` and `make test`.
# PYTHON is the interpreter that the virtual environment is made from (3.11 to 3.13).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: grade test lint bench schema fuzz clean

# Exit code 1 means that the work is not finished yet, which is what grading is for.
grade: $(VENV)/.grade
	@$(BIN)/python -m graders grade exercises $(ARGS) || [ $$? -eq 1 ]

test: $(VENV)/.test
	$(BIN)/python -m pytest -n logical --dist worksteal $(ARGS)

lint: $(VENV)/.grade
	$(BIN)/python -m graders lint

bench: $(VENV)/.grade
	$(BIN)/python tests/bench/bench.py

schema: $(VENV)/.grade
	$(BIN)/python -m graders.engine.score.card > graders/card.schema.json

# Ten minutes, or for example: make fuzz ARGS=-max_total_time=60. What it finds is left in build/fuzz.
fuzz: $(VENV)/.fuzz
	$(BIN)/python -m tests.fuzz.fuzz_wire $(ARGS)

clean:
	rm -rf $(VENV)

$(VENV)/.grade: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	  || { echo "Python 3.11, 3.12 or 3.13 is needed; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 ..."; exit 2; }
	@echo "Setting up $(VENV) (once; torch is large, so this takes a while) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.grade
	@echo "Installing what the tests need ..."
	@$(INSTALL) --editable ".[test]"
	@touch $@

$(VENV)/.fuzz: $(VENV)/.test
	@echo "Installing what fuzzing needs ..."
	@$(INSTALL) --editable ".[test,fuzz]"
	@touch $@
