"""429 for a token, or an address without one, that sends too many requests; and for a token with too many streams."""

from math import ceil

from fastapi import Request

from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import Problem
from ringscope_server.services import Services
from ringscope_server.users.rate_limit import RateLimiter
from ringscope_server.users.tokens import User


def limit_user(services: Services, user: User) -> None:
    """Count a request of a person. Agents are not limited: the operator decides their number and pace."""
    if user.kind not in ("agent", "join"):
        _take(services, services.user_limit, user.token_id, "token")


def limit_streams(services: Services, user: User) -> None:
    """Check the limit before another live stream of this person is opened; else one token could hold all streams."""
    most = services.settings.max_streams_per_token
    if most and services.stream.count_of(user.token_id) >= most:
        services.monitoring.limited["token"] += 1
        sentence = (
            f"This token and its sessions have {most} live streams open, all that they may; close pages and programs "
            "that listen, or raise the server's setting max_streams_per_token."
        )
        raise Problem(429, "too_many_streams", sentence)


async def limit_stranger(request: Request, services: ServicesDep) -> None:
    """Count a request without a valid token: a dependency of the routes that log in."""
    _take(services, services.stranger_limit, request.client.host if request.client else "", "address")


def _take(services: Services, limiter: RateLimiter, key: object, noun: str) -> None:
    wait = limiter.wait_seconds(key, services.now().timestamp())
    if wait:
        services.monitoring.limited[noun] += 1
        seconds = ceil(wait)
        sentence = f"Too many requests came from this {noun}; wait {seconds} s, then go on more slowly."
        raise Problem(429, "too_many_requests", sentence, headers={"Retry-After": str(seconds)})
