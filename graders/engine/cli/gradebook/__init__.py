"""The commands `grade gradebook`: everything about the one file that has the scores of a class."""
