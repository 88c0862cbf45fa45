"""From files to values: the course, its rubric and a submission, each read with suspicion."""
