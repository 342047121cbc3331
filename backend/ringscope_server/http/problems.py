"""Errors as RFC 9457 problem documents, with a stable ``code`` and a JSON pointer for each wrong field."""

import logging
from collections.abc import Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from ringscope.spec import FieldError, request_field_errors

log = logging.getLogger(__name__)


class ProblemDocument(BaseModel):
    """What every error of the API looks like (application/problem+json)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldError] = []


class Problem(Exception):  # noqa: N818  # RFC 9457 calls it a problem
    """An expected error: one sentence, a stable code, and the fields that are wrong."""

    def __init__(self, status: int, code: str, detail: str, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(detail)
        self.document = ProblemDocument(
            title=HTTPStatus(status).phrase, status=status, detail=detail, code=code, errors=list(errors)
        )


def invalid(errors: Sequence[FieldError]) -> Problem:
    """422 for wrong fields."""
    return Problem(422, "invalid_request", " ".join(error.detail for error in errors), errors)


def not_found(noun: str, key: object) -> Problem:
    """404 for something that is not there."""
    return Problem(404, "not_found", f"There is no {noun} {key}.")


def install(app: FastAPI) -> None:
    """Make every error of this application a problem document."""

    @app.exception_handler(Problem)
    async def _problem(request: Request, error: Problem) -> JSONResponse:
        return _response(error)

    @app.exception_handler(RequestValidationError)
    async def _validation(request: Request, error: RequestValidationError) -> JSONResponse:
        return _response(invalid(request_field_errors(error.errors())))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
        response = _response(Problem(error.status_code, code, str(error.detail)))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> JSONResponse:
        log.exception("%s %s failed", request.method, request.url.path)
        sentence = "The server made a mistake; its log has the details."
        return _response(Problem(500, "server_error", sentence))


def _response(problem: Problem) -> JSONResponse:
    document = problem.document
    headers = {"WWW-Authenticate": "Bearer"} if document.status == 401 else None
    return JSONResponse(document.model_dump(), document.status, headers=headers, media_type="application/problem+json")
