"""What a check says about itself: which checks must pass first, and which learning objective it serves."""

import pytest

needs = pytest.mark.needs
"""`@needs("tables", "shape")`: blocked unless these checks of the same exercise passed."""

objective = pytest.mark.objective
"""`@objective("implement")`: a key of `objectives` in grading.yaml."""
