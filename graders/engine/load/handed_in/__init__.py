"""Finds the submissions of a whole class in whatever form they come, and reads one when it is its turn."""
