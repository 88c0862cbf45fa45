"""Grades a whole class: judges side by side, cards kept in a folder, and nothing graded twice without a reason."""
