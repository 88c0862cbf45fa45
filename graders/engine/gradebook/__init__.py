"""The gradebook of a class: one SQLite file of roster, attempts, people's marks, late policy and a log of it all."""
