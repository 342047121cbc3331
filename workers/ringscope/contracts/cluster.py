"""A described cluster for simulations and plans, in the notation that people type. Pure."""

from functools import cached_property

from pydantic import Field, field_validator, model_validator

from ringscope.contracts.spec_model import SpecModel, at
from ringscope.contracts.words.topology import ALIASES, PRESETS, Link, Topology
from ringscope.contracts.words.units import is_whole_number, parse_rate

MAX_RANKS = 65_536  # most ranks of a plan, which prices equal ranks as one
MAX_SIMULATED_RANKS = 512  # most ranks of a simulation, which follows each message: pairwise algorithms have p² of them


class ClusterSpec(SpecModel):
    """Ranks, and the links between them; see ``ringscope.contracts.words.topology`` for what each figure means."""

    shape: str = Field(
        "8",
        description="RANKS (flat), NODESxRANKS or RACKSxNODESxRANKS, such as 4x8, where RANKS is the number per node.",
    )
    link: str = Field("10gbe", description=f"The link between nodes: {', '.join(PRESETS)}, or a rate such as 1GB/s.")
    latency_us: float | None = Field(
        None,
        ge=0,
        le=1e6,
        description="Latency of a message between nodes; null: the link's own latency, or 0 for a rate.",
    )
    intra: str = Field(
        "nvlink4",
        description="The link inside a node: a name such as nvlink4 (nvlink means nvlink4), or a rate such as 450GB/s.",
    )
    nics_per_node: int | None = Field(None, ge=1, description="Network cards of a node; null: one for each rank.")
    channels: int | None = Field(
        None,
        ge=1,
        description="Channels of rings and trees; each leaves a node through a different rank. null: one for each "
        "card.",
    )
    oversubscription: float = Field(
        1.0, ge=1, le=1000, description="Ratio of the summed bandwidth of a rack's node links to its uplink."
    )
    reduce_gb_per_s: float | None = Field(
        None, ge=1e-6, le=1e6, description="How fast a rank adds values, 1/γ; null: adding takes no time."
    )

    @field_validator("shape")
    @classmethod
    def _shape_is_one(cls, shape: str) -> str:
        numbers = shape.split("x")
        if len(numbers) > 3 or not all(is_whole_number(n) and len(n) < 7 and int(n) for n in numbers):
            raise ValueError(
                f"{shape!r} is not a shape; write RANKS, NODESxRANKS such as 4x8, or RACKSxNODESxRANKS such as 2x4x8."
            )
        racks, nodes, ranks_per_node = _numbers(shape)
        if (ranks := racks * nodes * ranks_per_node) > MAX_RANKS:
            raise ValueError(f"{ranks} ranks are too many to plan with; give {MAX_RANKS} or fewer.")
        return shape

    @field_validator("link", "intra")
    @classmethod
    def _link_is_known(cls, link: str) -> str:
        name = ALIASES.get(link, link)
        _link(name)
        return name

    @model_validator(mode="after")
    def _figures_fit_the_shape(self) -> "ClusterSpec":
        racks, _, ranks_per_node = _numbers(self.shape)
        if self.nics_per_node is not None and self.nics_per_node > ranks_per_node:
            raise at(
                ("nics_per_node",),
                f"{self.nics_per_node} cards are more than a node has ranks; give 1 to {ranks_per_node}, "
                "or leave it out.",
                self.nics_per_node,
            )
        if self.channels is not None and self.channels > ranks_per_node:
            raise at(
                ("channels",),
                f"{self.channels} cannot each leave a node of {ranks_per_node} through a different rank; "
                f"give 1 to {ranks_per_node}, or leave it out.",
                self.channels,
            )
        if self.oversubscription > 1 and racks == 1:
            raise at(
                ("oversubscription",),
                "only racks have uplinks to share; write the shape as RACKSxNODESxRANKS, or leave it out.",
                self.oversubscription,
            )
        return self

    @property
    def ranks(self) -> int:
        """Ranks of the whole cluster."""
        racks, nodes, ranks_per_node = _numbers(self.shape)
        return racks * nodes * ranks_per_node

    @cached_property
    def topology(self) -> Topology:
        """Return the topology for the cost model."""
        racks, nodes, ranks_per_node = _numbers(self.shape)
        inter = _link(self.link)
        if self.latency_us is not None:
            inter = inter._replace(latency_s=self.latency_us / 1e6)
        return Topology(
            self.ranks,
            inter,
            _link(self.intra),
            ranks_per_node,
            nics_per_node=self.nics_per_node,
            nodes_per_rack=nodes if racks > 1 else None,
            oversubscription=self.oversubscription,
            reduce_bytes_per_s=None if self.reduce_gb_per_s is None else self.reduce_gb_per_s * 1e9,
            channels=self.channels,
        )

    def __str__(self) -> str:
        """Describe the cluster in a few words, for tables: 4x8 ranks, ib200 between nodes, nvlink4 inside."""
        _, _, ranks_per_node = _numbers(self.shape)
        words = [f"{self.shape} ranks", f"{self.link} between nodes"]
        if self.latency_us is not None:
            words.append(f"latency {self.latency_us:g} us")
        if ranks_per_node > 1:
            words.append(f"{self.intra} inside")
        if self.nics_per_node is not None:
            words.append(f"{self.nics_per_node} network cards a node")
        if self.channels is not None:
            words.append(f"{self.channels} channels")
        if self.oversubscription > 1:
            words.append(f"oversubscription {self.oversubscription:g}")
        if self.reduce_gb_per_s is not None:
            words.append(f"adding {self.reduce_gb_per_s:g} GB/s")
        return ", ".join(words)


def _numbers(shape: str) -> tuple[int, int, int]:
    """Racks, nodes in each, ranks on each. A flat cluster has one rank on each node."""
    numbers = [int(number) for number in shape.split("x")]
    if len(numbers) == 1:
        return 1, numbers[0], 1
    racks, nodes, ranks_per_node = [1, *numbers][-3:]
    return racks, nodes, ranks_per_node


def _link(text: str) -> Link:
    if text in PRESETS:
        return PRESETS[text].link
    try:
        return Link(0.0, parse_rate(text))
    except ValueError as error:
        raise ValueError(
            f"{text!r} is neither a known link nor a rate; choose one of {', '.join(PRESETS)}, "
            "or write for example 450GB/s."
        ) from error
