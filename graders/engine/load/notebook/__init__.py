"""Notebooks in the judge: JSON and text, never parsed as code."""
