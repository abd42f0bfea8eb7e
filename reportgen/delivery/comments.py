"""One comment per report on a pull or merge request, kept up to date.

The summary of a build begins with a marker that stays the same from build to build. The
comment that begins with it is changed; where there is none, one is added. Which request, and
the token, are read from the variables that the CI server sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from reportgen.delivery import requests
from reportgen.errors import Problem, SpecError

Service = Literal["github", "gitlab"]

_PAGE = 100


@dataclass(frozen=True)
class Request:
    """A pull or merge request: where its comments are listed and changed, and the token."""

    comments: str
    one: str
    change: Literal["PATCH", "PUT"]
    headers: Mapping[str, str] = field(repr=False)

    @classmethod
    def from_environment(cls, service: Service, environment: Mapping[str, str]) -> Request:
        """Read the variables that GitHub Actions or GitLab CI set.

        Raises:
            SpecError: one is missing, or the job does not belong to a request.
        """
        return _github(environment) if service == "github" else _gitlab(environment)


def _github(environment: Mapping[str, str]) -> Request:
    api = environment.get("GITHUB_API_URL", "https://api.github.com")
    repository, token = _all(environment, "GITHUB_REPOSITORY", "GITHUB_TOKEN")
    number = re.fullmatch(r"refs/pull/(\d+)/\w+", environment.get("GITHUB_REF", ""))
    if number is None:
        hint = "run it in a workflow on pull_request"
        raise SpecError(
            Problem("no-request", "the job does not belong to a pull request", hint=hint)
        )
    issues = f"{api}/repos/{repository}/issues"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    return Request(f"{issues}/{number[1]}/comments", f"{issues}/comments", "PATCH", headers)


def _gitlab(environment: Mapping[str, str]) -> Request:
    api, project, request, token = _all(
        environment, "CI_API_V4_URL", "CI_PROJECT_ID", "CI_MERGE_REQUEST_IID", "REPORTGEN_TOKEN"
    )
    notes = f"{api}/projects/{project}/merge_requests/{request}/notes"
    return Request(notes, notes, "PUT", {"PRIVATE-TOKEN": token})


def _all(environment: Mapping[str, str], *names: str) -> list[str]:
    missing = [name for name in names if not environment.get(name)]
    if missing:
        hint = "run it in a job that `reportgen review` prints: there the CI server sets them"
        if "REPORTGEN_TOKEN" in missing:
            hint += ", but for REPORTGEN_TOKEN, a masked variable of the project"
        message = f"the environment has no {', '.join(missing)}"
        raise SpecError(Problem("no-variable", message, hint=hint))
    return [environment[name] for name in names]


def comment(request: Request, summary: str) -> Literal["changed", "added"]:
    """Change the comment of this report to a summary, or add one.

    Args:
        request: The pull or merge request.
        summary: Text of ``summary.md``; its first line is the marker.

    Raises:
        OutputError: the service refused it, or did not answer.
    """
    marker = summary.partition("\n")[0]
    for present in _comments(request):
        if present["body"].startswith(marker):
            url = f"{request.one}/{present['id']}"
            requests.send(request.change, url, body={"body": summary}, headers=request.headers)
            return "changed"
    requests.send("POST", request.comments, body={"body": summary}, headers=request.headers)
    return "added"


class _Comment(TypedDict):
    id: int
    body: str


def _comments(request: Request) -> Iterator[_Comment]:
    page = 1
    while True:
        url = f"{request.comments}?per_page={_PAGE}&page={page}"
        listed = requests.send("GET", url, headers=request.headers) or []
        yield from listed
        if len(listed) < _PAGE:
            return
        page += 1
