"""What leaves the machine: the course that students fork, and scores where they are read. Nothing here grades."""
