"""A class out of a course's repository: its forks and pull requests, and of each the commit that counts.

What counts is what GitHub had received by the deadline, by its own record of pushes. Dates in commits are a student's
own words, and are never looked at. Nothing here runs or reads a student's code.
"""
