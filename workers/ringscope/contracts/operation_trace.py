"""One traced operation in the API: the traces of all ranks on one clock, compared with the model. Pure."""

from datetime import datetime

from pydantic import BaseModel, Field

_NOT_KNOWN = "null: unknown."


class TracedRank(BaseModel):
    """One rank's part; ranks of one node share a clock, so its error does not matter between them."""

    rank: int
    node: str
    started_ns: int = Field(description="Start of the rank, in ns since the operation began on the first rank.")
    ended_ns: int
    clock_offset_ns: int | None = Field(description=f"The node's clock minus the server's; {_NOT_KNOWN}")
    clock_error_ns: int | None = Field(description=f"Largest error of its times; {_NOT_KNOWN}")
    left_out: int = Field(description="Number of later transfers that it left out because there were too many.")


class TraceRow(BaseModel):
    """One transfer as one rank recorded it; times in ns since the first rank began the operation, by one clock."""

    rank: int = Field(description="The rank that reports the transfer.")
    is_send: bool = Field(description="true: the rank sends to peer; false: it receives from it.")
    peer: int
    step: int
    phase: str
    chunks: list[int] = Field(description="Chunks of the schedule, by their index at the source.")
    into: list[int] = Field(description="Chunks at the destination, by their index there.")
    reduce: bool = Field(description="The receiver adds the data to its own.")
    bytes: int
    start_ns: int = Field(description="Posted the message; in shared memory: began to wait for the peer.")
    send_ns: int | None = Field(description="The bytes began to move; null: this end cannot observe it.")
    recv_ns: int | None = Field(description="The bytes had arrived or had left; null: moving and adding were one pass.")
    reduce_ns: int | None = Field(description="Adding began; null: this rank adds nothing.")
    done_ns: int
    work_ns: int | None = Field(description="How long its processor moved or added the bytes; null: it did not.")
    wire_ns: int | None = Field(
        None,
        description="Time on the wire, recorded by the receiver: from the later of the two ends' starts to recv_ns, "
        "without the wait for the sender's data; null: for a sent message, or if the sender recorded nothing.",
    )
    predicted_ns: int | None = Field(description="The model's time, adding included; null: the model cannot price it.")


class TraceStep(BaseModel):
    """One step of the schedule over all ranks, compared with the model's."""

    step: int
    phase: str = Field(description="Several phases are joined by a plus sign.")
    start_ns: int = Field(description="The first transfer began to move.")
    end_ns: int
    predicted_start_ns: int | None = Field(description="null: the model cannot price it.")
    predicted_end_ns: int | None


class TracedHop(BaseModel):
    """All large messages from one node to another one in a traced operation."""

    src: str = Field(description="The node that they leave.")
    dst: str = Field(description="The node that they reach.")
    messages: int
    bytes: int = Field(description="Bytes of the largest message.")
    wire_ns: int = Field(description="The lower quartile of the messages' times on the wire.")
    times_longer: float | None = Field(
        description="Wire time per byte relative to the quick hops of this operation; null: unknown, because fewer "
        "than 3 hops can be compared or a clock's offset is unknown."
    )
    is_slow: bool = Field(
        description="The hop takes at least twice as long as the quick hops, by more than the clocks' errors."
    )


class TracePrediction(BaseModel):
    """The model's time for the same operation."""

    duration_ns: int
    parameters: str = Field(description="The source of α, β and γ, as text.")


class TracedOperation(BaseModel):
    """The operation that a trace records."""

    collective: str
    algorithm: str = Field(description="The algorithm as named in the job; auto stays auto.")
    chosen_algorithm: str | None = Field(
        description="The algorithm that auto chose; null for an algorithm named in the job."
    )
    transport: str = Field(description="simulated: the cost model computed the times.")
    in_place: bool
    size_bytes: int
    dtype: str
    duration_ns: int = Field(
        description="Duration of the slowest rank; the traced operation is not one of the timed ones."
    )

    @property
    def executed(self) -> str:
        """Return the algorithm that was executed."""
        return self.chosen_algorithm or self.algorithm


class ChunkView(BaseModel):
    """A run of elements of the buffer."""

    offset: int
    length: int


class OperationTrace(TracedOperation):
    """One operation, transfer by transfer. The order of events on two nodes is unknown if they are closer than both
    clock errors.
    """

    started_at: datetime = Field(description="When the first rank started, by the server's clock.")
    chunks: list[ChunkView] | None = Field(description="Chunks into which the schedule cuts the buffer; null: unknown.")
    ranks: list[TracedRank]
    steps: list[TraceStep]
    rows: list[TraceRow] = Field(description="Transfers by rank, then in the order of their start.")
    hops: list[TracedHop] = Field([], description="Hops between nodes, by the nodes' names.")
    slow_links: list[str] = Field(
        [], description="A sentence for each node whose link is slow, and for each slow hop that no such node explains."
    )
    prediction: TracePrediction | None = Field(description="null: the model could not price it.")
