"""INSTRUCTOR.md names commands that exist, files that are there, and settings that GitHub has."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from openapi_core.testing import MockRequest
from typer.main import get_command

from graders.engine.cli.app import app
from tests.github.openapi import API, violations

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / ".github" / "INSTRUCTOR.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\*\*(\d+)\. ", PAGE, flags=re.MULTILINE)
SETTINGS = [shlex.split(line) for line in re.findall(r"^gh api .*$", PAGE, flags=re.MULTILINE)]
FIELD = re.compile(r"(\w+)(?:\[(\w+)\])?=(.*)")
TYPED = {"true": True, "false": False}


def test_it_takes_ten_steps_at_most() -> None:
    assert [str(number + 1) for number in range(len(STEPS))] == STEPS
    assert 1 <= len(STEPS) <= 10


def test_the_commands_it_names_exist_with_their_options() -> None:
    known = get_command(app).commands  # type: ignore[attr-defined]
    named = re.findall(r"(?:\.venv/bin/|`)grade ([a-z-]+)([^`\n]*)", PAGE)
    assert {"keygen", "release", "unseal-card", "export", "probe"} <= {name for name, _ in named}
    for name, rest in named:
        assert name in known, name
        options = {option for parameter in known[name].params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= options, name


def test_the_targets_it_names_exist() -> None:
    makefile = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "graders/handout/Makefile"))
    for target in re.findall(r"`make (\w+)", PAGE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), f"make {target}"


@pytest.mark.parametrize("words", SETTINGS, ids=lambda words: words[4])
def test_a_setting_is_one_that_github_describes(words: list[str]) -> None:
    assert request_problems(words) == []


def test_there_are_settings_and_a_wrong_one_would_be_seen() -> None:
    assert len(SETTINGS) == 6
    (approval,) = (words for words in SETTINGS if "approval" in words[4])
    assert request_problems([*approval[:-1], "approval_policy=nobody"])


def request_problems(words: list[str]) -> list[str]:
    """Return what GitHub's description has against the request that `gh api -X METHOD PATH fields...` makes."""
    gh, api, flag, method, path, *fields = words
    assert (gh, api, flag) == ("gh", "api", "-X")
    body: dict[str, Any] = {}
    for kind, field in zip(fields[::2], fields[1::2], strict=True):
        found = FIELD.fullmatch(field)
        assert found, field
        name, inner, text = found.groups()
        value = TYPED.get(text, text) if kind == "-F" else text  # -F guesses the type, -f does not
        if inner:
            body.setdefault(name, {})[inner] = value
        else:
            body[name] = value
    request = MockRequest(API, method.lower(), f"/{path}", data=json.dumps(body).encode())
    return violations(request)


def test_the_workflows_and_artifacts_it_names_are_ours() -> None:
    for workflow, artifact in (("grade", "sealed-card"), ("class", "class")):
        text = (ROOT / ".github" / "workflows" / f"{workflow}.yml").read_text(encoding="utf-8")
        assert f"          name: {artifact}\n" in text
        assert "name: grading" in text
        assert "secrets.GRADING_KEY" in text
        assert f"--name {artifact}" in PAGE
    assert set(re.findall(r"--name (\S+)", PAGE)) == {"sealed-card", "class"}
    for name in re.findall(r"gh variable set (\w+)", PAGE):
        assert f"vars.{name}" in text
    assert "secrets.SWEEP_TOKEN" in text
