"""Files of other tools, and the tables in them that are jobs of kind imported."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base, BigKey


class ImportedFile(Base):
    """A file as it was sent, without secrets; one row for each checksum, however often it is imported."""

    __tablename__ = "imported_files"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    sha256: Mapped[str] = mapped_column(unique=True)  # the checksum of the file as it was sent
    name: Mapped[str]
    text: Mapped[str] = mapped_column(deferred=True)
    created_at: Mapped[datetime]


class Import(Base):
    """The rows of an imported job.

    They are not in ``measurements``: no query that looks for what this cluster measured can find them.
    """

    __tablename__ = "imports"

    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), primary_key=True)
    file_id: Mapped[int] = mapped_column(ForeignKey("imported_files.id"), index=True)
    given: Mapped[dict[str, Any]]  # what the user stated: ringscope.imports.judged.Given
    facts: Mapped[dict[str, Any]]  # ringscope.expected.facts.Facts
    points: Mapped[list[dict[str, Any]]]  # ringscope.expected.facts.Point
    rows: Mapped[list[dict[str, Any]]] = mapped_column(JSON, deferred=True)  # the rows that count, as SweepRow
    tally: Mapped[dict[str, Any]] = mapped_column(JSON, deferred=True)  # ringscope_server.jobs.tally
    document: Mapped[dict[str, Any]] = mapped_column(JSON, deferred=True)  # the table as it was printed
    adopted_at: Mapped[datetime | None]  # null: it does not count as a run of this cluster
    adopted_by: Mapped[str | None]
