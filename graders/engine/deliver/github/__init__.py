"""Scores on GitHub: which pull request a run belongs to, and a comment and a status that say what was found there.

Nothing here runs or reads a student's code. What GitHub sends is data that others may have chosen.
"""
