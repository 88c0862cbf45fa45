"""One calculation that takes hours and lets no other thread of the interpreter run."""

9**9**9
