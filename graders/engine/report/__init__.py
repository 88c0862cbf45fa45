"""What people read: each module here takes a finished record and prints it. None of them grades."""
