"""The grader of this course: an engine that judges, and a folder of checks for each exercise."""

__version__ = "0.1.0"
