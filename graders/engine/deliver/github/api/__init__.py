"""A conversation with GitHub's API: requests, what is tried again and for how long, and what an answer means."""
