"""Sheets of answers: YAML of a student, read by events alone."""
