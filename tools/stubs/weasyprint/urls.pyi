from collections.abc import Collection, Mapping

class FatalURLFetchingError(BaseException): ...

class URLFetcherResponse:
    def __init__(self, url: str, body: bytes, headers: Mapping[str, str]) -> None: ...

class URLFetcher:
    def __init__(
        self,
        *,
        allowed_protocols: Collection[str],
        allow_redirects: bool,
        fail_on_errors: bool,
    ) -> None: ...
    def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> URLFetcherResponse: ...
