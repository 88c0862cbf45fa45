"""Judging: checks ask a submission questions and say what was expected, what came and what to do."""
