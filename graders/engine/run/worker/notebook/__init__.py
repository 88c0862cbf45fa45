"""Notebooks in a worker: cells into Python, and of that what the wanted names need."""
