"""Values that were measured already, one per model and data set or fold."""

from __future__ import annotations

from reportgen.tasks.record import TaskInfo

TASK = TaskInfo(name="comparison", position=50, truth="none")
