"""What an author of exercises needs: lint, the tables of wrong answers, and a scaffold for a new exercise."""
