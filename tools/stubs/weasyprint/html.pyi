from typing import Any

UA_STYLESHEET: Any
