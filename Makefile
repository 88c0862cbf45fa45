# Two commands do everything, set-up included: `make grade` and `make test`.
# Setting up and `make grade` are what students have as well: there is one copy of both.
include graders/handout/Makefile

.PHONY: test rehearsal demo pictures lint staff bench schema fuzz clean

test: $(VENV)/.test
	$(BIN)/python -m pytest -n logical --dist worksteal $(ARGS)

# A course of five students, from the release to the scores that are posted, without GitHub.
rehearsal: $(VENV)/.test
	@$(BIN)/python -m tests.rehearsal

# A made class of 60, from what they handed in to gradebook, exports and report, in build/demo.
demo: $(VENV)/.staff
	@$(BIN)/python -m tests.demo

# The README's pictures of it; Chromium is needed, and fonts for many scripts.
pictures: $(VENV)/.test
	@$(BIN)/python -m tests.demo.pictures

lint: $(VENV)/.grade
	$(BIN)/python -m graders lint

# What running a course needs beyond grading: keys, and GitHub.
staff: $(VENV)/.staff

# Half an hour; with a number, the large class has so many submissions and not 2,000: make bench ARGS=200
bench: $(VENV)/.test
	$(BIN)/python -m tests.bench.bench $(ARGS)

schema: $(VENV)/.grade
	$(BIN)/python -m graders.engine.score.card > graders/card.schema.json

# Ten minutes, or for example: make fuzz ARGS=-max_total_time=60. What it finds is left in build/fuzz.
fuzz: $(VENV)/.fuzz
	$(BIN)/python -m tests.fuzz.fuzz_wire $(ARGS)

clean:
	rm -rf $(VENV)

$(VENV)/.staff: $(VENV)/.grade
	@$(INSTALL) --editable ".[staff]"
	@touch $@

$(VENV)/.test: $(VENV)/.grade
	@echo "Installing what the tests need ..."
	@$(INSTALL) --editable ".[test]"
	@touch $@

$(VENV)/.fuzz: $(VENV)/.test
	@echo "Installing what fuzzing needs ..."
	@$(INSTALL) --editable ".[test,fuzz]"
	@touch $@
