"""The command line: each module here is one command, and `app` holds them together."""
