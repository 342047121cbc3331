"""Number of ranks of a job, and the nodes that may run them. Pure."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from ringscope.contracts.spec_model import SpecModel
from ringscope.contracts.spec_model import at as _at
from ringscope.contracts.words.labels import Labels

MOST_PREFLIGHT_SECONDS = 60
Arrangement = Literal["pack", "spread", "fastest"]


def _without_default(schema: dict[str, Any]) -> None:
    """Remove the default from the schema: it depends on other fields, and the description states it."""
    del schema["default"]


class Placement(SpecModel):
    """Number of ranks, and the nodes that may run them."""

    ranks: int = Field(
        2,
        ge=1,
        le=65_536,
        description="Processes in the gang; each occupies one slot. A simulation is one process, however many ranks "
        "it simulates.",
    )
    min_ranks: int | None = Field(
        None,
        ge=1,
        le=65_536,
        description="Makes a training job elastic: it runs on as many slots as are free, at least on this many. "
        "After the loss of a rank or node it continues at once with fewer ranks. null: always with all ranks.",
    )
    ranks_per_node: int | None = Field(
        None, ge=1, le=4096, description="The job runs exactly this many ranks on each node."
    )
    nodes: int | None = Field(None, ge=1, le=4096, description="The job runs on exactly this many nodes.")
    node_names: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        [], max_length=4096, description="The job runs on all of these nodes and on no others; empty: any nodes."
    )
    selector: Labels = Field(default_factory=dict, description="Labels that a node must carry.")
    exclusive: bool = Field(
        False,
        description="No other job runs on its nodes. Default: true for a measured benchmark, else false.",
        json_schema_extra=_without_default,
    )
    arrangement: Arrangement = Field(
        "pack",
        description="pack uses as few nodes as possible, spread as many as possible, and fastest as few as possible "
        "of which the slowest link among each other was measured fastest; nodes or ranks_per_node sets an exact "
        "number.",
    )
    same_rack: bool = Field(False, description="All nodes have the same label rack.")
    quiet: bool = Field(
        False,
        description="The job starts only while its nodes are quiet: their load average is at most 0.5, or the setting "
        "most_other_load_percent of their cores. A node that reports no load counts as quiet, and so do the nodes of "
        "the last attempt when an elastic job continues.",
    )
    preflight: bool | int = Field(
        False,
        exclude_if=lambda wanted: wanted is False,  # agents of earlier versions refuse the field
        description="Its ranks reduce once and measure the links of the ring of nodes before the program starts. A "
        "node that is slower than earlier or than the others, by interval, ends the attempt as preflight_failed; the "
        "next attempt avoids it, and this one does not count. true: for 2 seconds; a number: for so many, 1 to 60.",
    )
    gpu_model: str | None = Field(
        None, max_length=200, description="Part of the model's name of every GPU of its nodes, such as H200."
    )
    min_gpu_memory_bytes: int | None = Field(
        None, ge=1, description="Each GPU of its nodes has at least this much memory."
    )
    min_memory_bytes: int | None = Field(None, ge=1, description="Each of its nodes has at least this much memory.")

    @field_validator("preflight", mode="before")
    @classmethod
    def _takes_seconds(cls, wanted: Any) -> Any:
        if isinstance(wanted, bool) or (isinstance(wanted, int) and 1 <= wanted <= MOST_PREFLIGHT_SECONDS):
            return wanted
        raise ValueError(f"give true, false, or 1 to {MOST_PREFLIGHT_SECONDS} seconds, not {wanted!r}.")

    @model_validator(mode="after")
    def _numbers_agree(self) -> "Placement":
        if self.ranks_per_node and self.ranks % self.ranks_per_node:
            raise _at(
                ("ranks_per_node",),
                f"{self.ranks} ranks cannot be split into {self.ranks_per_node} on each node; "
                "choose a divisor of ranks.",
                self.ranks_per_node,
            )
        if self.nodes and self.nodes > self.ranks:
            raise _at(
                ("nodes",),
                f"{self.nodes} nodes cannot each run one of {self.ranks} ranks; lower nodes or raise ranks.",
                self.nodes,
            )
        if self.nodes and self.ranks_per_node and self.nodes * self.ranks_per_node != self.ranks:
            raise _at(
                ("nodes",),
                f"{self.nodes} nodes with {self.ranks_per_node} ranks each are not {self.ranks} ranks; "
                "leave out one of nodes and ranks_per_node.",
                self.nodes,
            )
        return self

    @model_validator(mode="after")
    def _fewer_ranks_can_be_placed(self) -> "Placement":
        if self.min_ranks is None:
            return self
        if self.min_ranks > self.ranks:
            raise _at(("min_ranks",), f"{self.min_ranks} are more than {self.ranks} ranks; lower it.", self.min_ranks)
        fixed = {"ranks_per_node": self.ranks_per_node, "nodes": (self.nodes or 1) > 1}
        fixed["node_names"] = len(self.node_names) > 1
        if field := next((name for name, is_fixed in fixed.items() if is_fixed), None):
            raise _at((field,), f"it fixes the shape of a gang that may shrink; leave out {field} or min_ranks.", None)
        return self

    @model_validator(mode="after")
    def _names_agree(self) -> "Placement":
        names, count = self.node_names, len(self.node_names)
        if not names:
            return self
        if count > len(set(names)):
            twice = next(name for name in names if names.count(name) > 1)
            raise _at(("node_names",), f"{twice} is listed twice; name each node once.", names)
        if count > self.ranks:
            raise _at(
                ("node_names",),
                f"{count} nodes cannot each run one of {self.ranks} ranks; name fewer nodes or raise ranks.",
                names,
            )
        if self.nodes and self.nodes != count:
            raise _at(
                ("nodes",), f"{count} nodes are named in node_names, not {self.nodes}; leave out nodes.", self.nodes
            )
        if self.ranks_per_node and self.ranks_per_node * count != self.ranks:
            raise _at(
                ("ranks_per_node",),
                f"{count} named nodes with {self.ranks_per_node} ranks each are not {self.ranks} ranks; "
                "leave out ranks_per_node.",
                self.ranks_per_node,
            )
        return self

    @property
    def node_count(self) -> int | None:
        """The exact number of nodes, by ``nodes`` or ``node_names``; None if neither is given."""
        return self.nodes or len(self.node_names) or None
