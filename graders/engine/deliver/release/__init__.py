"""The course repository that students fork: what belongs into it, and how one that exists is brought up to date."""
