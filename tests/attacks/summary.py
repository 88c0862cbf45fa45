"""The line at the end of a test run that says how many attacks were contained, and whom the workers ran as."""

import re
from collections import Counter

import pytest

PROPERTY = "attacks"
LINE = re.compile(r"attacks contained: (\d+) of (\d+) as (.+)")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print it, where attacks were among the tests."""
    contained, tried = Counter[str](), Counter[str]()
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        for name, value in getattr(report, "user_properties", ()):
            if name == PROPERTY and report.when == "call":
                user, held, count = value
                contained[user] += held
                tried[user] += count
    if tried:
        counts = [f"{contained[user]} of {count} as {user}" for user, count in sorted(tried.items())]
        terminalreporter.write_line(f"attacks contained: {', '.join(counts)}")
