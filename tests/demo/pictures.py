"""`python -m tests.demo.pictures`: plays the demo and makes the pictures of the README of it, with Chromium.

Names are in many scripts, so that the machine needs fonts for them (Debian: fonts-noto-core and fonts-noto-cjk).
"""

import io
import os
import re
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

from tests.demo.class_of_sixty import REPOSITORY
from tests.demo.running import FOLDER, make_folder, run_for_picture, run_into
from tests.demo.steps import GRADED, OF_ONE, PAGES, steps

PICTURES = REPOSITORY / ".github/pictures"
REPORT, TERMINAL = PICTURES / "report.png", PICTURES / "terminal.svg"
SHOWN = (GRADED, OF_ONE)
COLUMNS = 112
SCREEN = {"width": 1280, "height": 900}
WEB_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def main() -> None:
    """Make both."""
    make_folder()
    told = []
    for step in steps():
        if step.into:
            run_into(step)
        else:
            printed = run_for_picture(step, COLUMNS)
            told += [step.typed, printed] if step.why in SHOWN else []
    PICTURES.mkdir(parents=True, exist_ok=True)
    draw_terminal("\n".join(told), TERMINAL)
    photograph(FOLDER / PAGES / "index.html", REPORT)


def draw_terminal(text: str, picture: Path) -> None:
    """Draw what a terminal shows, with whatever font for code the reader's system has: nothing is fetched."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text.rstrip("\n")))
    drawn = console.export_svg(title="grade", unique_id="terminal")
    picture.write_text(WEB_FONT.sub("", drawn), encoding="utf-8")


def photograph(page: Path, picture: Path) -> None:
    """Take a picture of what a page shows first."""
    with sync_playwright() as playwright:
        # Chromium shuts itself in, except for root, who has to say so: it is our own page.
        alone = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=alone)
        shown = browser.new_page(viewport=SCREEN, color_scheme="light")
        shown.goto(page.as_uri())
        shown.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main()
