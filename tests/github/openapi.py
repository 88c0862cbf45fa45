"""GitHub's own description of its API, cut to the paths that we use, and judges of requests and answers by it.

The description comes from the npm package that GitHub's own client library takes it from. It is cut once, into
`build/`. What it leaves out and GitHub does is added: answers that any path may give (refusals, limits, redirects,
failures), and pull requests from a fork that is gone. Of media types it knows `application/json` alone, and that is
what GitHub answers with, whichever of its own types a client accepts.
"""

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from openapi_core import OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

from tests.npm import Packed, kept

DESCRIPTION = Packed("@octokit/openapi", "23.0.2", "package/generated/api.github.com.json")
# What this file makes of it; a change of this file makes it anew.
CUT = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
API = "https://api.github.com"

PULLS = "/repos/{owner}/{repo}/pulls"
PULL = "/repos/{owner}/{repo}/pulls/{pull_number}"
COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
SET_STATUS = "/repos/{owner}/{repo}/statuses/{sha}"
STATUSES = "/repos/{owner}/{repo}/commits/{ref}/statuses"
REPOSITORY = "/repos/{owner}/{repo}"
FORKS = "/repos/{owner}/{repo}/forks"
ACTIVITY = "/repos/{owner}/{repo}/activity"
RUNS = "/repos/{owner}/{repo}/actions/runs"
ARTIFACTS = "/repos/{owner}/{repo}/actions/artifacts"
ARCHIVE = "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}"
USED = {
    PULLS: ("get",),
    PULL: ("get",),
    COMMENTS: ("get", "post"),
    COMMENT: ("patch",),
    SET_STATUS: ("post",),
    STATUSES: ("get",),
    REPOSITORY: ("get",),
    FORKS: ("get",),
    ACTIVITY: ("get",),
    RUNS: ("get",),
    ARTIFACTS: ("get",),
    ARCHIVE: ("get",),
    # What INSTRUCTOR.md sets.
    "/repos/{owner}/{repo}/actions/permissions": ("put",),
    "/repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval": ("put",),
    "/repos/{owner}/{repo}/actions/permissions/fork-pr-workflows-private-repos": ("put",),
    "/repos/{owner}/{repo}/actions/permissions/workflow": ("put",),
    "/repos/{owner}/{repo}/environments/{environment_name}": ("put",),
    "/repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies": ("post",),
}
# What any path may answer, however little of it is described: GitHub's error record has a message.
ANY_PATH = (301, 307, 401, 403, 404, 409, 410, 422, 429, 451, 500, 502, 503, 504)
ERROR = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}

Spec = dict[str, Any]


@cache
def description() -> Spec:
    """Return the description of the paths in use; skips or fails the test where npm can't be had."""
    name = f"openapi/api.github.com-{DESCRIPTION.version}-{CUT}.json"
    path = kept(DESCRIPTION, name, lambda whole: json.dumps(cut(json.loads(whole))).encode())
    return json.loads(path.read_text(encoding="utf-8"))


def cut(whole: Spec) -> Spec:
    """Return the paths in use, with everything that they lead to, and what is added to them."""
    paths = {path: {method: whole["paths"][path][method] for method in methods} for path, methods in USED.items()}
    kept: Spec = {
        "openapi": whole["openapi"],
        "info": whole["info"],
        "servers": [{"url": API}],
        "paths": json.loads(json.dumps(paths)),
    }
    for reference in _reached(whole, kept["paths"]):
        *way, name = reference.removeprefix("#/").split("/")
        place = kept
        for part in way:
            place = place.setdefault(part, {})
        place[name] = json.loads(json.dumps(_at(whole, reference)))
    for operation in (operation for path in kept["paths"].values() for operation in path.values()):
        for status in ANY_PATH:
            operation["responses"].setdefault(
                str(status), {"description": "as any path", "content": {"application/json": {"schema": ERROR}}}
            )
    for name in ("pull-request-simple", "pull-request"):
        # Null, once a fork has been deleted.
        head = kept["components"]["schemas"][name]["properties"]["head"]["properties"]
        head["repo"] = {"oneOf": [head["repo"], {"enum": [None], "nullable": True}]}
    return kept


def _reached(whole: Spec, start: object) -> list[str]:
    reached: dict[str, None] = {}
    waiting = [start]
    while waiting:
        for reference in _references(waiting.pop()):
            if reference not in reached:
                reached[reference] = None
                waiting.append(_at(whole, reference))
    return list(reached)


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for inner in node.values():
            yield from _references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _references(inner)


def _at(whole: Spec, reference: str) -> Any:
    for part in reference.removeprefix("#/").split("/"):
        whole = whole[part]
    return whole


@cache
def judge() -> OpenAPI:
    """Return what judges requests and answers; making it takes half a second."""
    return OpenAPI.from_dict(description())


def violations(request: MockRequest, response: MockResponse | None = None) -> list[str]:
    """Return what the description has against a request, or against an answer to it."""
    try:
        if response is None:
            judge().validate_request(request)
        else:
            judge().validate_response(request, response)
    except OpenAPIError as error:
        what = "request" if response is None else f"answer {response.status_code}"
        return [f"{what} {request.method.upper()} {request.path}: {error!r}, {error.__cause__!r}"[:2000]]
    return []


def example(name: str) -> dict[str, Any]:
    """Return a record of that name as GitHub may send it: the fields that it always has, each as small as may be."""
    return json.loads(_example(name))


@cache
def _example(name: str) -> str:
    return json.dumps(_smallest({"$ref": f"#/components/schemas/{name}"}))


def _smallest(schema: Spec) -> Any:
    if "$ref" in schema:
        return _smallest(_at(description(), schema["$ref"]))
    if schema.get("nullable"):
        return None
    if "enum" in schema:
        return schema["enum"][0]
    if "allOf" in schema:
        return {name: value for part in schema["allOf"] for name, value in _smallest(part).items()}
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            return _smallest(schema[choice][0])
    match schema.get("type"):
        case "integer" | "number":
            return 1
        case "boolean":
            return False
        case "array":
            return []
        case "string":
            formats = {"date-time": "2026-11-29T12:00:00Z", "uri": "https://github.com/", "email": "a@example.org"}
            return formats.get(schema.get("format", ""), "-")
    return {name: _smallest(schema["properties"][name]) for name in schema.get("required", [])}
