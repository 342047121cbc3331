"""Errors as RFC 9457 problem documents, with a stable ``code`` and a JSON pointer for each wrong field."""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from ringscope.contracts.findings import FieldError, request_field_errors
from ringscope.contracts.protocol import PROBLEM_MEDIA_TYPE
from ringscope_server.db.disk import is_full
from ringscope_server.db.faults import STORAGE_FULL, Fault, cause_of, fault_of, is_bad_value
from ringscope_server.db.names import NameTakenError
from ringscope_server.db.specs import SpoiledError
from ringscope_server.http.allowed import AllowedMethods
from ringscope_server.overload.concurrency_limit import BusyError
from ringscope_server.overload.process_pool import ProcessLostError
from ringscope_server.users.idempotency import KeyReusedError
from ringscope_server.users.tokens import RevokedError

log = logging.getLogger(__name__)
# These replace the framework's sentences for what http/middleware/request_body.py did not catch.
UNREADABLE = "The request body is not UTF-8, or holds a number of thousands of digits; mend it."

RETRY_AFTER_SECONDS = 1


class ProblemDocument(BaseModel):
    """The document of every error of the API (application/problem+json)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldError] = []


class Problem(Exception):  # noqa: N818  # RFC 9457 calls it a problem
    """An expected error: one sentence, a stable code, and the fields that are wrong."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.headers = dict(headers or {})
        self.document = ProblemDocument(
            title=HTTPStatus(status).phrase, status=status, detail=detail, code=code, errors=list(errors)
        )


def invalid(errors: Sequence[FieldError]) -> Problem:
    """Return a 422 for wrong fields."""
    return Problem(422, "invalid_request", " ".join(error.detail for error in errors), errors)


def not_found(noun: str, key: object) -> Problem:
    """Return a 404 for something that does not exist."""
    return Problem(404, "not_found", f"There is no {noun} {key}.")


def install(app: FastAPI) -> None:
    """Turn every error of this application into a problem document."""
    allowed = AllowedMethods(app)

    @app.exception_handler(Problem)
    async def _problem(request: Request, error: Problem) -> JSONResponse:
        return problem_response(error)

    @app.exception_handler(RequestValidationError)
    async def _validation(request: Request, error: RequestValidationError) -> JSONResponse:
        return problem_response(invalid(request_field_errors(error.errors())))

    @app.exception_handler(KeyReusedError)
    async def _key_reused(request: Request, error: KeyReusedError) -> JSONResponse:
        sentence = "This Idempotency-Key was used for another request; send a new key with a new request."
        return problem_response(Problem(409, "idempotency_key_reused", sentence))

    @app.exception_handler(BusyError)
    async def _busy(request: Request, error: BusyError) -> JSONResponse:
        seconds = {"Retry-After": str(RETRY_AFTER_SECONDS)}
        if error.is_own:
            sentence = "This token waits for as many answers of this kind as it may; ask again once they have come."
            return problem_response(Problem(429, "too_many_at_once", sentence, headers=seconds))
        sentence = "Too many wait for answers of this kind; send this again in a moment."
        return problem_response(Problem(503, "busy", sentence, headers=seconds))

    @app.exception_handler(ProcessLostError)
    async def _lost(request: Request, error: ProcessLostError) -> JSONResponse:
        log.warning("%s %s: the process that worked on it was killed", request.method, request.url.path)
        sentence = "The process that worked on this was killed, perhaps for want of memory; send this again."
        seconds = {"Retry-After": str(RETRY_AFTER_SECONDS)}
        return problem_response(Problem(503, "process_lost", sentence, headers=seconds))

    @app.exception_handler(RevokedError)
    async def _revoked(request: Request, error: RevokedError) -> JSONResponse:
        return problem_response(Problem(401, "bad_token", "The token was revoked just now; use a valid one."))

    @app.exception_handler(NameTakenError)
    async def _name_taken(request: Request, error: NameTakenError) -> JSONResponse:
        found = FieldError(pointer="/name", detail=f"name: {error}")
        return problem_response(Problem(409, "name_taken", found.detail, [found]))

    @app.exception_handler(SpoiledError)
    async def _spoiled(request: Request, error: SpoiledError) -> JSONResponse:
        return problem_response(Problem(409, "spec_spoiled", str(error)))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
        detail = UNREADABLE if error.detail == "There was an error parsing the body" else str(error.detail)
        headers = dict(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = allowed.of(request.url.path)
            if request.method == "OPTIONS":
                return Response(status_code=204, headers={"Allow": f"{headers['Allow']}, OPTIONS"})
            detail = f"{request.method} is not possible here; use {headers['Allow']}."
        return problem_response(Problem(error.status_code, code, detail, headers=headers))

    @app.exception_handler(OverflowError)
    async def _out_of_range(request: Request, error: OverflowError) -> JSONResponse:
        # The bounds of fields should have caught it; the log says where one is missing.
        log.warning("%s %s: a value that cannot be stored", request.method, request.url.path, exc_info=error)
        sentence = "A number or time in this request is beyond what can be stored; give a smaller one."
        return problem_response(Problem(422, "out_of_range", sentence))

    @app.exception_handler(RecursionError)
    async def _nested(request: Request, error: RecursionError) -> JSONResponse:
        sentence = "The request body is nested too deeply; make it flatter."
        return problem_response(Problem(422, "invalid_request", sentence))

    @app.exception_handler(SQLAlchemyError)
    async def _database(request: Request, error: SQLAlchemyError) -> JSONResponse:
        problem = of_database(error)
        if problem is None:
            return _mistake(request, error)
        log.warning("%s %s: %s (%s)", request.method, request.url.path, problem.document.detail, cause_of(error))
        return problem_response(problem)

    @app.exception_handler(OSError)
    async def _disk(request: Request, error: OSError) -> JSONResponse:
        if not is_full(error):
            return _mistake(request, error)
        log.warning("%s %s: %s", request.method, request.url.path, error)
        return problem_response(unavailable(STORAGE_FULL))

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> JSONResponse:
        return _mistake(request, error)


def of_database(error: SQLAlchemyError) -> Problem | None:
    """Return the problem of a value that the database cannot store, or of a temporary fault; None for a mistake of
    ours.
    """
    if is_bad_value(error):
        return Problem(422, "invalid_request", f"A value cannot be stored: {cause_of(error)}.")
    fault = fault_of(error)
    return unavailable(fault) if fault else None


def unavailable(fault: Fault) -> Problem:
    """Return a 503 for what passes by itself, or is repaired by others."""
    return Problem(503, fault.code, fault.sentence, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})


def _mistake(request: Request, error: Exception) -> JSONResponse:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return problem_response(Problem(500, "server_error", "The server made a mistake; its log has the details."))


def problem_response(problem: Problem) -> JSONResponse:
    """Return the answer for a problem."""
    document = problem.document
    headers = problem.headers | ({"WWW-Authenticate": "Bearer"} if document.status == 401 else {})
    return JSONResponse(document.model_dump(), document.status, headers=headers, media_type=PROBLEM_MEDIA_TYPE)
