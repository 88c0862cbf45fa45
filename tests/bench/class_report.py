"""The report of a large class: how long it takes to make, and how long until a browser lets its reader search.

``python -m tests.bench.class_report`` prints both. Nothing here asserts.
"""

import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.bench.processes import run_once
from tests.report.class_page.made_class import write_class

STUDENTS = 5000
REPEATS, LOADS = 3, 5


def main() -> None:
    """Print the two figures, each the median of some runs."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, out = Path(scratch, "class"), Path(scratch, "out")
        write_class(folder, STUDENTS)
        command = [sys.executable, "-m", "graders", "report", str(folder), "--html", str(out)]
        walls, cpus, _ = zip(*(run_once(command, dict(os.environ)) for _ in range(REPEATS)), strict=True)
        size = sum(path.stat().st_size for path in out.rglob("*.html")) / 2**20
        print(
            f"(f) a report of {STUDENTS} students with their pages ({size:.0f} MiB): {statistics.median(walls):.1f} s, "
            f"{statistics.median(cpus):.1f} s CPU, on {os.cpu_count()} cores"
        )
        found = shutil.which("chromium")
        if found is None:
            print("    there is no Chromium here to open it with")
            return
        waits = _waits(found, out / "index.html")
        print(f"(k) the page of {STUDENTS} students can be searched after {statistics.median(waits):.2f} s in Chromium")


def _waits(chromium: str, index: Path) -> list[float]:
    """Seconds from asking for the page until a search in it has its answer, each time in a new page."""
    flags = ["--disable-gpu", "--disable-background-networking", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        waits = [_wait(browser.new_page(), index) for _ in range(LOADS)]
        browser.close()
    return waits


def _wait(page: Page, index: Path) -> float:
    start = time.perf_counter()
    page.goto(index.as_uri())
    page.get_by_label("Search the students:").fill("s4321")
    page.get_by_role("link", name="s4321").wait_for()
    seconds = time.perf_counter() - start
    page.close()
    return seconds


if __name__ == "__main__":
    main()
