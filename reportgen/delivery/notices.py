"""Notices of builds: when one is due, and that each is sent once.

Beside the builds of a spec, ``.notices`` has a file for each logical date and state that it
came to, which says where the notice was sent. It is written after each sending, under a lock:
a notice that was sent is not sent again, also by another process, or after a kill. Where a kill
falls between the sending and the writing, the mail that follows has the same Message-ID.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict, cast

from filelock import FileLock

from reportgen.builds.publish import naming_faults
from reportgen.builds.stored import object_in
from reportgen.errors import OutputError

When = Literal["failure", "change", "always", "weekly"]

FOLDER = ".notices"

_BAD = frozenset({"fail", "not built"})


@dataclass(frozen=True)
class Notice:
    """What happened to a spec on a date, in words, with the PDF where there is one."""

    spec: str
    date: dt.date
    state: str
    subject: str
    text: str
    pdf: Path | None = None

    def key(self, target: str) -> str:
        """Return a name of this notice to one target, the same whenever it is sent."""
        words = "\0".join((self.spec, self.date.isoformat(), self.state, target))
        return hashlib.sha256(words.encode()).hexdigest()[:32]


Send = Callable[[Notice], None]


def deliver(
    notice: Notice, folder: Path, when: When, targets: Mapping[str, Send]
) -> tuple[list[str], list[OutputError]]:
    """Send a notice where it is due and was not sent before.

    Args:
        notice: What happened.
        folder: The folder of the spec's builds.
        when: ``failure``, ``change`` of the state, ``always``, or ``weekly``.
        targets: How it is sent, by a name that is recorded (an address is hashed).

    Returns:
        The targets that it was sent to now, and why others did not take it.

    Raises:
        OutputError: the record cannot be written.
    """
    place = folder / FOLDER
    with naming_faults(place):
        place.mkdir(parents=True, exist_ok=True)
        with FileLock(place / ".lock"):
            record = _record(place, notice)
            due = is_due(notice, when, record["before"])
            return _send(notice, record, place, targets) if due else ([], [])


def is_due(notice: Notice, when: When, before: str | None) -> bool:
    """Say whether a notice is due, by the state before it; of a first build, where it is not good.

    >>> night = Notice("a", dt.date(2026, 1, 2), "fail", "", "")
    >>> is_due(night, "change", "fail"), is_due(night, "change", "pass")
    (False, True)
    """
    if when in ("always", "weekly"):
        return True
    if when == "failure":
        return notice.state in _BAD
    return notice.state != (before or "pass")


class NoticeRecord(TypedDict):
    """What is kept of a notice: its date and state, the state before, and to whom it was sent."""

    spec: str
    date: str
    state: str
    before: str | None
    number: int
    sent: list[str]


def _record(place: Path, notice: Notice) -> NoticeRecord:
    """The record of this date and state; a new one knows the state before it."""
    path = _path(place, notice)
    if (record := _readable(path)) is not None:
        return record
    others = list(filter(None, map(_readable, place.glob("*.json"))))
    earlier = [one for one in others if one["date"] <= notice.date.isoformat()]
    newest = max(earlier, key=lambda one: (one["date"], one["number"]), default=None)
    record = {
        "spec": notice.spec,
        "date": notice.date.isoformat(),
        "state": notice.state,
        "before": newest and newest["state"],
        "number": 1 + max((one["number"] for one in others), default=-1),
        "sent": [],
    }
    _write(path, record)
    return record


def _readable(path: Path) -> NoticeRecord | None:
    """A record that is there and whole; a damaged one counts as none: its notice may come twice."""
    record = object_in(path)
    whole = all(isinstance(record.get(name, ...), kind) for name, kind in _KINDS.items())
    return cast("NoticeRecord", record) if whole else None


_KINDS = {"date": str, "state": str, "before": str | None, "number": int, "sent": list}


def _path(place: Path, notice: Notice) -> Path:
    return place / f"{notice.date.isoformat()}-{notice.state.replace(' ', '-')}.json"


def _write(path: Path, record: NoticeRecord) -> None:
    draft = path.with_suffix(".new")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(record, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _send(
    notice: Notice, record: NoticeRecord, place: Path, targets: Mapping[str, Send]
) -> tuple[list[str], list[OutputError]]:
    sent: list[str] = []
    refused: list[OutputError] = []
    for name, send in targets.items():
        key = notice.key(name)
        if key in record["sent"]:
            continue
        try:
            send(notice)
        except OutputError as error:
            refused.append(error)
            continue
        record["sent"].append(key)
        _write(_path(place, notice), record)
        sent.append(name)
    return sent, refused


def digest(root: str, date: dt.date, lines: Sequence[str], bad: int) -> Notice:
    """Return the notice of a week, of which one is sent whatever the states are.

    >>> digest("reports", dt.date(2026, 11, 22), ["a: PASS"], 0).subject
    'reports, week 47 of 2026: 1 spec, none failed'
    """
    year, week, _ = date.isocalendar()
    monday = dt.date.fromisocalendar(year, week, 1)
    specs = f"{len(lines)} spec{'' if len(lines) == 1 else 's'}"
    subject = f"{root}, week {week} of {year}: {specs}, {bad or 'none'} failed"
    return Notice(root, monday, "week", subject, "\n".join([*lines, ""]))
