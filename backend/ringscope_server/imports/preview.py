"""Files of other tools as they would be imported: rows, checks, machine and judgement. Nothing is stored."""

from typing import Any

from pydantic import BaseModel, Field, field_validator

from ringscope.contracts.spec_model import SpecModel
from ringscope.contracts.words.collectives import Collective
from ringscope.expected.facts import gpu_class, parse_cards
from ringscope.expected.published import published
from ringscope.explanations.kinds import read_result
from ringscope.imports.document import file_document
from ringscope.imports.judged import Given, judged
from ringscope.imports.lines import MOST_BYTES

MOST_FILES = 20


class ImportedFile(SpecModel):
    """The text of one file."""

    name: str = Field(max_length=255)
    content: str = Field(description="The text, of at most 8 MiB.")


class ImportQuestion(SpecModel):
    """Files, and facts of their machine that they do not state."""

    files: tuple[ImportedFile, ...] = Field(min_length=1, max_length=MOST_FILES)
    gpu: str | None = Field(None, max_length=80, description="The GPU: H100, MI300X.")
    nodes: int | None = Field(None, ge=1, le=1_000_000)
    collective: Collective | None = None
    cards: str | None = Field(None, max_length=20, description="The network cards of a node: 8x400G.")
    ranks: int | None = Field(None, ge=1, le=65_536, description="The number of ranks, for files that do not state it.")

    @field_validator("gpu")
    @classmethod
    def _known_gpu(cls, name: str | None) -> str | None:
        if name is not None and gpu_class(name) is None:
            raise ValueError(f"{name!r} is no known GPU; write for example H100 or MI300X.")
        return name

    @field_validator("cards")
    @classmethod
    def _readable_cards(cls, text: str | None) -> str | None:
        if text is not None:
            parse_cards(text)
        return text

    def facts(self) -> dict[str, Any]:
        """Return the facts that are stated, as JSON."""
        return self.model_dump(mode="json", exclude={"files"}, exclude_none=True)

    @property
    def largest_bytes(self) -> int:
        """Return the size of the largest file."""
        return max(len(file.content.encode()) for file in self.files)


class ImportedRow(BaseModel):
    """One size in one placement, as printed; a row with flags counts for nothing."""

    size_bytes: int
    count: int | None
    dtype: str | None
    redop: str | None
    root: int | None
    in_place: bool
    time_us: float | None
    algbw_gb_per_s: float | None
    busbw_gb_per_s: float | None
    wrong: float | None = Field(description="Wrong elements; null: not checked, or an older table.")
    error: float | None = Field(description="The column of tables before nccl-tests 2.13.")
    flags: list[str] = Field(description="The identities that the row contradicts.")


class ImportedMachine(BaseModel):
    """The machine as the file describes it."""

    gpu: str | None
    nodes: int | None
    gpus_per_node: int | None
    hosts: list[str]
    versions: dict[str, str]
    environment: dict[str, str] = Field(description="Variables that influence a run, without secrets.")
    networks: list[str]
    nvls: bool | None


class BandwidthReference(BaseModel):
    """An expected bus bandwidth for one size, with its interval and its source."""

    kind: str = Field(description="limit, model, published or baseline.")
    size_bytes: int
    busbw_gb_per_s: float
    low_gb_per_s: float
    high_gb_per_s: float
    source: str
    url: str | None
    date: str | None


class JudgedFacts(BaseModel):
    """The known facts of a run's machine; null is unknown."""

    gpu: str | None
    ranks: int | None
    nodes: int | None
    gpus_per_node: int | None
    collective: str | None
    library: str | None
    network: str | None = Field(description="The network between the nodes: rdma, sockets, tcpxo or nvlink.")
    cards: int | None = Field(description="Network cards of a node.")
    card_gbit: float | None
    nvls: bool | None
    environment: dict[str, str] = Field(description="Variables that influence a run, without secrets.")


class SizeJudgement(BaseModel):
    """The judgement of one row."""

    size_bytes: int
    in_place: bool
    busbw_gb_per_s: float
    low_gb_per_s: float = Field(description="Lower end of the interval in which the measured bandwidth lies.")
    high_gb_per_s: float
    word: str
    deviation: float | None = Field(description="Measured over expected, less 1.")
    wire_gb_per_s: float | None = Field(description="The rate on the wire, where the switch reduces.")
    references: list[BandwidthReference]


class BandwidthJudgement(BaseModel):
    """The judgement of a run (docs/expected.md)."""

    word: str = Field(description="as expected, low by x %, above what was expected, impossible, or unknown.")
    sentence: str
    version: int
    basis: str = Field(description="The kind of judgement: by references, own runs, or nothing.")
    facts: JudgedFacts | None = Field(description="The facts on which the references depend; null: by own runs.")
    missing: list[str]
    transport: list[str] = Field(description="Links that the run left out.")
    references: list[BandwidthReference]
    sizes: list[SizeJudgement]


class ImportedRun(BaseModel):
    """One table of one program."""

    tool: str
    line: int
    collective: str | None
    collective_from: str | None
    test: str | None
    ranks: int | None
    ranks_from: str | None
    partial: bool
    failed: bool
    refused: str | None
    notes: list[str]
    machine: ImportedMachine
    mean_busbw_gb_per_s: float | None
    rows: list[ImportedRow]
    judgement: BandwidthJudgement


class FilePreview(BaseModel):
    """One file; ``refused`` is a sentence if none of it can be used."""

    path: str
    refused: str | None
    runs: list[ImportedRun]


class ImportPreview(BaseModel):
    """The files in the order of the request."""

    files: list[FilePreview]


def is_too_large(question: ImportQuestion) -> bool:
    """Return whether a file is above the limit."""
    return question.largest_bytes > MOST_BYTES


def given_facts(question: ImportQuestion) -> Given:
    """Return the facts that the question states."""
    cards = None if question.cards is None else parse_cards(question.cards)
    return Given(question.gpu, question.nodes, question.collective, cards, question.ranks)


def preview(question: ImportQuestion) -> dict[str, Any]:
    """Read, check and judge the files; it takes processor time, up to some seconds."""
    given = given_facts(question)
    return {
        "files": [
            file_document(
                file.name,
                read_result(file.content.encode()),
                lambda run: judged(run, given, published()).document(),
            )
            for file in question.files
        ]
    }
