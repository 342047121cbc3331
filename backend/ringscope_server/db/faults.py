"""Faults of a database that are no mistake of ours, in words for people."""

from dataclasses import dataclass
from logging import Logger

from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError


class DatabaseUnusableError(Exception):
    """The server cannot start on this database; the message is one sentence for the operator."""


@dataclass(frozen=True)
class Fault:
    """A stable code and a sentence. Nothing of the request was stored, and it may be sent again."""

    code: str
    sentence: str


STORAGE_FULL = Fault(
    "storage_full", "The database's disk is full, and nothing was stored; make room on it and send this again."
)
BUSY = Fault("database_busy", "The database is busy with other requests, and nothing was stored; send this again.")
LOCKED = Fault(
    "database_busy",
    "Another process has locked the database's file, and nothing was stored; end that process, such as a backup or an "
    "sqlite3 shell.",
)
CHANGED = Fault(
    "database_busy", "Another request changed the same thing at the same moment, and nothing was stored; send it again."
)
UNREACHABLE = Fault("database_unreachable", "The database does not answer, and nothing was stored; try again soon.")
UNUSABLE = Fault(
    "database_unusable", "The database's file cannot be read or written, and nothing was stored; see the server's log."
)

# SQLite's primary result codes (https://sqlite.org/rescode.html).
# Writers of this process queue on a lock of its own: who waits for the file in vain waits for another process.
_SQLITE = {13: STORAGE_FULL, 5: LOCKED, 6: BUSY, 8: UNUSABLE, 10: UNUSABLE, 11: UNUSABLE, 14: UNUSABLE, 26: UNUSABLE}
# SQLSTATE, or its class (https://www.postgresql.org/docs/current/errcodes-appendix.html).
_POSTGRESQL = {
    "53100": STORAGE_FULL,
    "53": BUSY,
    "40": BUSY,
    "55P03": BUSY,
    # A unique key, or a row that another one names: services look first, so somebody else came between, and when it is
    # sent again they find what is there now.
    "23505": CHANGED,
    "23503": CHANGED,
    "25P03": UNREACHABLE,
    "25P04": BUSY,  # a transaction that took longer than PostgreSQL lets it
    "25006": UNREACHABLE,  # a standby
    "08": UNREACHABLE,
    "57": UNREACHABLE,
}


def fault_of(error: SQLAlchemyError) -> Fault | None:
    """The fault behind an error; None when it is a mistake of the program."""
    if isinstance(error, PoolTimeoutError):
        return BUSY
    if not isinstance(error, DBAPIError):
        return None
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return _SQLITE.get(code & 0xFF)
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return _POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2])
    # psycopg knows no state for a connection that cannot be made or that breaks.
    return UNREACHABLE if type(error.orig).__name__ == "OperationalError" else None


def is_passing(error: Exception) -> bool:
    """Return whether the database itself has a fault, so that the work is done later."""
    return isinstance(error, SQLAlchemyError) and fault_of(error) is not None


def is_lasting(fault: Fault) -> bool:
    """Return whether the next write fails as well until somebody mends the database."""
    return fault in (STORAGE_FULL, LOCKED, UNREACHABLE, UNUSABLE)


def is_bad_value(error: SQLAlchemyError) -> bool:
    """Return whether the database or its driver refused a value, such as a number that is too large."""
    return isinstance(error, DataError) or isinstance(getattr(error, "orig", None), OverflowError)


def log_failure(log: Logger, what: str, error: Exception) -> None:
    """Log the failure of work that is tried again: one line for a fault of the database, else with the traceback."""
    if is_passing(error):
        log.warning("%s: %s", what, cause_of(error))
    else:
        log.error(what, exc_info=error)


def cause_of(error: Exception) -> str:
    """Return the driver's words on one line; libpq gives a line for each address, and hints below."""
    told = error.orig if isinstance(error, StatementError) else error
    return str(told).strip().partition("\n")[0].rstrip(".")
