"""The services of the application, as a dependency of the routes."""

from typing import Annotated

from fastapi import Depends, Request

from ringscope_server.services import Services


def get_services(request: Request) -> Services:
    """The services of the application that serves this request."""
    services: Services = request.app.state.services
    return services


ServicesDep = Annotated[Services, Depends(get_services)]
