"""Saying on a pull request what was found: whether it may be said, in which words, and in a comment and a status."""
