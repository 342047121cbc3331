"""One traced operation in the API: the traces of all ranks on one clock, compared with the model. Pure."""

from datetime import datetime

from pydantic import BaseModel, Field

_NOT_KNOWN = "null: not known."


class TracedRank(BaseModel):
    """One rank's part; ranks of one node share a clock, so its error does not matter between them."""

    rank: int
    node: str
    started_ns: int = Field(description="Start of the rank, in ns since the operation began on the first rank.")
    ended_ns: int
    clock_offset_ns: int | None = Field(description=f"The node's clock minus the server's; {_NOT_KNOWN}")
    clock_error_ns: int | None = Field(description=f"Its times are at most so far from the truth; {_NOT_KNOWN}")
    left_out: int = Field(description="Later transfers that it left out: there were too many.")


class TraceRow(BaseModel):
    """One transfer as one rank recorded it; times in ns since the first rank began the operation, by one clock."""

    rank: int = Field(description="The rank that reports the transfer.")
    is_send: bool = Field(description="It sends to peer; else it receives from it.")
    peer: int
    step: int
    phase: str
    chunks: list[int] = Field(description="Chunks of the schedule, by their index at the source.")
    into: list[int] = Field(description="Chunks at the destination in which they land.")
    reduce: bool = Field(description="The receiver adds what comes to its own.")
    bytes: int
    start_ns: int = Field(description="Posted the message; in shared memory: began to wait for the peer.")
    send_ns: int | None = Field(description="The bytes began to move; null: this end cannot know.")
    recv_ns: int | None = Field(description="They were there, or had left; null: moving and adding were one pass.")
    reduce_ns: int | None = Field(description="Adding began; null: nothing is added here.")
    done_ns: int
    work_ns: int | None = Field(description="How long its processor moved or added the bytes; null: it did not.")
    wire_ns: int | None = Field(
        None,
        description="Time on the wire, recorded by the receiver: from the later start of both ends to recv_ns, without "
        "the wait for the sender's data; null: for a sent message, or if the sender recorded nothing.",
    )
    predicted_ns: int | None = Field(description="How long the model takes, adding included; null: not priced.")


class TraceStep(BaseModel):
    """One step of the schedule over all ranks, compared with the model's."""

    step: int
    phase: str = Field(description="Several are joined by a plus sign.")
    start_ns: int = Field(description="The first transfer began to move.")
    end_ns: int
    predicted_start_ns: int | None = Field(description="null: not priced.")
    predicted_end_ns: int | None


class TracedHop(BaseModel):
    """All large messages from one node to another one in a traced operation."""

    src: str = Field(description="The node that they leave.")
    dst: str = Field(description="The node that they reach.")
    messages: int
    bytes: int = Field(description="Bytes of the largest message.")
    wire_ns: int = Field(description="The lower quartile of their times on the wire.")
    times_longer: float | None = Field(
        description="Wire time per byte relative to the quick hops of this operation; null: it is not known, since "
        "fewer than 3 hops can be compared or a clock is not known."
    )
    is_slow: bool = Field(description="It takes at least twice as long, and by more than clocks may err.")


class TracePrediction(BaseModel):
    """The model's time for the same operation."""

    duration_ns: int
    parameters: str = Field(description="The source of α, β and γ, in words.")


class TracedOperation(BaseModel):
    """The operation that a trace records."""

    collective: str
    algorithm: str = Field(description="The algorithm as the job names it; auto stays auto.")
    chosen_algorithm: str | None = Field(description="What auto took; null for an algorithm named by the job.")
    transport: str = Field(description="simulated: the times are the cost model's.")
    in_place: bool
    size_bytes: int
    dtype: str
    duration_ns: int = Field(
        description="How long the slowest rank took; the traced operation is none of the timed ones."
    )

    @property
    def executed(self) -> str:
        """The algorithm that did it."""
        return self.chosen_algorithm or self.algorithm


class ChunkView(BaseModel):
    """A run of elements of the buffer."""

    offset: int
    length: int


class OperationTrace(TracedOperation):
    """One operation, transfer by transfer. Events of two nodes that are closer than both errors have no order."""

    started_at: datetime = Field(description="When the first rank started, by the server's clock.")
    chunks: list[ChunkView] | None = Field(
        description="Chunks into which the schedule cuts the buffer; null: not known."
    )
    ranks: list[TracedRank]
    steps: list[TraceStep]
    rows: list[TraceRow] = Field(description="Transfers by rank, then in the order of their start.")
    hops: list[TracedHop] = Field([], description="Hops between nodes, by the nodes' names.")
    slow_links: list[str] = Field(
        [], description="A sentence for each node whose link is slow, and for each slow hop that none of them explains."
    )
    prediction: TracePrediction | None = Field(description="null: it could not be priced.")
