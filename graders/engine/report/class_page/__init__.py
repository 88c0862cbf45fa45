"""A class as its instructors read it: one page of the whole, and one for each student, that open without a network."""
