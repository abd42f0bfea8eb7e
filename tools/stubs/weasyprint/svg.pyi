from typing import Any

TAGS: dict[str, Any]
text: Any
