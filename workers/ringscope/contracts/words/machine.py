"""Speed of a machine's processors and scheduling, which the cost model needs if nothing was measured."""

from pydantic import BaseModel, ConfigDict, Field

from ringscope.contracts.words.units import plural


class Machine(BaseModel):
    """Speed of one node, as its ranks measure it; the defaults are from the machine that the model was fitted to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    hardware: str = Field("", max_length=1000, description="The measured hardware; other hardware is measured again.")
    cores: int | None = Field(
        None, ge=1, lt=2**31, description="Physical cores that ranks may use at once; null: enough."
    )
    call_us: float = Field(0.4, gt=0, le=1e6, description="Duration of a NumPy call that does almost nothing.")
    turn_us: float = Field(
        5.0, gt=0, le=1e6, description="Time until another process that waits for the same core runs."
    )
    cache_bytes: int = Field(1 << 20, ge=1, lt=2**63, description="Cache of a core, or its part of a shared cache.")
    add_gb_per_s: float = Field(
        56.0, gt=0, le=1e6, description="Rate of adding one array to another, both in the cache."
    )
    copy_gb_per_s: float = Field(76.0, gt=0, le=1e6, description="Copying, likewise.")
    far_add_gb_per_s: float = Field(
        56.0, gt=0, le=1e6, description="Rate of adding arrays that do not fit in any cache."
    )
    far_copy_gb_per_s: float = Field(
        76.0, gt=0, le=1e6, description="Rate of copying arrays that do not fit in any cache."
    )

    def adding_gb_per_s(self, size_bytes: int) -> float:
        """Return the addition rate for arrays of this size: the rate in cache if two of them fit there."""
        return self.add_gb_per_s if 2 * size_bytes <= self.cache_bytes else self.far_add_gb_per_s

    def copying_gb_per_s(self, size_bytes: int) -> float:
        """Return the copy rate for arrays of this size, likewise."""
        return self.copy_gb_per_s if 2 * size_bytes <= self.cache_bytes else self.far_copy_gb_per_s

    def ranks_per_core(self, ranks: int) -> float:
        """Return the number of ranks per core when this node runs ``ranks`` ranks."""
        return 1.0 if self.cores is None else max(1.0, ranks / self.cores)


def shared_cores(ranks: int, cores: int | None) -> str:
    """Return "4 ranks on 2 cores" if ranks share cores; empty if each has its own or the cores are unknown."""
    return f"{ranks} ranks on {plural(cores, 'core')}" if cores is not None and cores < ranks else ""


REFERENCE = Machine()
