"""A commit comes from a server with git, as objects and within limits; nothing of it is obeyed."""
