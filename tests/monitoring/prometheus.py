"""A running Prometheus, asked through its HTTP API."""

from typing import Any

import httpx


class Prometheus:
    """A client of the Prometheus at a URL; its answers are None until Prometheus is ready."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str, **query: str) -> Any:
        try:
            answer = httpx.get(f"{self.url}/api/v1/{path}", params=query, trust_env=False, timeout=60)
        except httpx.TransportError:
            return None
        if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:  # it still starts
            return None
        return answer.raise_for_status().json()["data"]

    def value(self, expression: str) -> float | None:
        """The one sample that an expression gives now, if it gives one."""
        data = self.get("query", query=expression)
        samples = data["result"] if data else []
        assert len(samples) <= 1, samples
        value = float(samples[0]["value"][1]) if samples else None
        return value if value == value else None  # 0/0 is no bandwidth yet
