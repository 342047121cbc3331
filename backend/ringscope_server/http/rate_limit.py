"""429 for a token, or the address of somebody without one, that asks too often."""

from math import ceil

from fastapi import Request

from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import Problem
from ringscope_server.services import Services
from ringscope_server.users.rate_limit import RateLimiter
from ringscope_server.users.tokens import User


def limit_user(services: Services, user: User) -> None:
    """Count a request of a person. Agents are not limited: their number and pace are the operator's own."""
    if user.kind not in ("agent", "join"):
        _take(services, services.user_limit, user.token_id, "token")


async def limit_stranger(request: Request, services: ServicesDep) -> None:
    """Count a request of somebody who has not shown a valid token: a dependency of the routes that log in."""
    _take(services, services.stranger_limit, request.client.host if request.client else "", "address")


def _take(services: Services, limiter: RateLimiter, key: object, noun: str) -> None:
    wait = limiter.wait_seconds(key, services.now().timestamp())
    if wait:
        services.monitoring.limited[noun] += 1
        seconds = ceil(wait)
        sentence = f"Too many requests came from this {noun}; wait {seconds} s, then go on more slowly."
        raise Problem(429, "too_many_requests", sentence, headers={"Retry-After": str(seconds)})
