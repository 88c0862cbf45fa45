"""Written answers: what a check may expect of them, and the matching of short ones with key ideas."""
