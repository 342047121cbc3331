"""The explanation of files as the API returns it: a part for each kind of file."""

from pydantic import BaseModel, Field

from ringscope.explanations.kinds import Kind
from ringscope_server.imports.preview import FilePreview


class ExplainedFile(BaseModel):
    """The kinds of one file."""

    name: str
    kinds: list[Kind] = Field(description="What the file is; empty if it is not known. A log may be two things.")
    what: str = Field(description="The kinds in words.")
    refused: str | None = Field(
        description="Why the file is in no part, as the rest of a sentence; null: it is in one."
    )


class SourceFrame(BaseModel):
    """A line of source code in a stack, the innermost first."""

    path: str
    line: int
    function: str


class HangOperation(BaseModel):
    """An operation as a rank recorded it."""

    name: str
    state: str
    input_sizes: list[list[int]]
    output_sizes: list[list[int]]
    input_dtypes: list[str]
    output_dtypes: list[str]
    source: str | None = Field(description="The innermost line that is not PyTorch's own.")
    frames: list[SourceFrame]


class HangFinding(BaseModel):
    """A fault found in a group (docs/other-jobs.md)."""

    kind: str
    sentence: str
    group: str
    group_description: str
    group_ranks: list[int]
    sequence: int
    ranks: list[int]
    waiting_ranks: list[int]
    expected: HangOperation | None
    found: HangOperation | None
    late_s: float | None


class HangPair(BaseModel):
    """A send without its receive, or the other way round."""

    sentence: str
    rank: int
    peer: int
    operation: HangOperation | None
    other: HangOperation | None


class HangColumn(BaseModel):
    """One operation of a group."""

    sequence: int
    name: str
    source: str | None
    is_finding: bool


class HangCell(BaseModel):
    """The state of an operation on ranks; ``detail`` says what differs."""

    state: str = Field(
        description="ended, waits, missing, differs, late, not_issued, overwritten (in the buffer) or no_dump."
    )
    detail: str | None


class HangRow(BaseModel):
    """Ranks with the same states."""

    ranks: list[int]
    cells: list[HangCell]


class HangTable(BaseModel):
    """The operations of a group around the first finding, by rank."""

    group: str
    group_description: str
    columns: list[HangColumn]
    rows: list[HangRow]


class HangPart(BaseModel):
    """The explanation of a hang, from dumps of the Flight Recorder."""

    answer: str
    is_clean: bool
    ranks: list[int]
    without_dump: list[int]
    operations_compared: int
    findings: list[HangFinding]
    findings_omitted: int
    pairs: list[HangPair]
    table: HangTable | None


class NcclRemark(BaseModel):
    """A remark on a log of NCCL."""

    kind: str
    sentence: str


class NcclNode(BaseModel):
    """A node as its processes describe it."""

    host: str
    cards: list[str] | None = Field(description="InfiniBand and RoCE cards; null if no line says which there are.")
    networks: list[str]
    interfaces: list[str]
    settings: dict[str, str]


class NcclPlace(BaseModel):
    """A rank of a communicator; null where no line says it."""

    rank: int
    host: str | None
    device: int | None


class NcclEdge(BaseModel):
    """An edge; in a tree it leads from the child to its parent."""

    source: int
    target: int
    transport_class: str | None = Field(description="The slowest class of the transports; null if no line tells one.")
    transports: list[str]


class NcclShape(BaseModel):
    """A ring, a tree or other edges, with the channels that are alike; or NVLS with its heads."""

    kind: str = Field(description="ring, tree, nvls or other.")
    channels: list[int]
    edges: list[NcclEdge]
    heads: int | None
    head_ranks: list[int]


class NcclCommunicator(BaseModel):
    """A communicator of NCCL as its log shows it."""

    id: str | None
    ranks: int | None
    channels: int | None
    is_complete: bool
    is_drawn: bool = Field(description="False for one with more than 512 ranks, which has no places and shapes here.")
    places: list[NcclPlace]
    shapes: list[NcclShape]
    shapes_omitted: int


class NcclLogPart(BaseModel):
    """NCCL's rings, trees and transports, from logs of NCCL_DEBUG=INFO."""

    answer: str
    overview: str
    remarks: list[NcclRemark]
    nodes: list[NcclNode]
    communicators: list[NcclCommunicator]
    communicators_omitted: int
    warnings: list[str]


class InspectorPoint(BaseModel):
    """A record of NCCL Inspector."""

    operation: int
    rank: int
    host: str | None
    time_us: float
    busbw_gb_per_s: float
    is_drop: bool
    is_contradictory: bool


class InspectorSeries(BaseModel):
    """The bus bandwidth of a collective and size of a communicator; of many records the ends of each stretch."""

    communicator: str
    ranks: int
    nodes: int | None
    collective: str
    size_bytes: int
    records: int
    lowest_busbw_gb_per_s: float
    median_busbw_gb_per_s: float
    highest_busbw_gb_per_s: float
    drops: int
    drop_sentence: str | None
    contradictory: int
    skipped_operations: int
    points: list[InspectorPoint]


class InspectorPart(BaseModel):
    """Series of bus bandwidth from records of NCCL Inspector, those with the deepest drops first."""

    answer: str
    notes: list[str]
    versions: list[str]
    series: list[InspectorSeries]
    series_omitted: int


class RasRemark(BaseModel):
    """A fault that a report of RAS names; ``ranks`` are the minority."""

    kind: str = Field(description="missing, failed, timeouts, behind, hanging or progressing.")
    communicator: str
    ranks: list[int]
    sentence: str


class RasCommunicator(BaseModel):
    """A communicator in a report of RAS."""

    name: str
    ranks: int | None
    missing_ranks: list[int]
    dead_ranks: list[int] | None
    counts: dict[str, dict[str, int]] = Field(
        description="The number of ranks, by kind of operation and by the number that they have launched."
    )


class RasPart(BaseModel):
    """A report of NCCL's RAS."""

    path: str
    answer: str
    compared_with: str | None = Field(
        description="The report before it that has one of its communicators, which tells a hang from progress."
    )
    nccl_version: str | None
    is_repaired: bool
    timeouts: int
    remarks: list[RasRemark]
    communicators: list[RasCommunicator]


class ExplainedFiles(BaseModel):
    """The kinds of the files, and a part for each kind; null or empty if no file is of it."""

    files: list[ExplainedFile]
    hang: HangPart | None
    nccl_log: NcclLogPart | None
    nccl_inspector: InspectorPart | None
    nccl_ras: list[RasPart]
    results: list[FilePreview]
