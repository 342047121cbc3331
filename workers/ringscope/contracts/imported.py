"""The origin of an imported job: its tool, its file and its machine."""

from pydantic import Field

from ringscope.contracts.spec_model import SpecModel


class ImportedSpec(SpecModel):
    """A table of another tool: its place in a file, and the machine as the file or the user describes it."""

    tool: str = Field(max_length=100, description="The program that printed the table: nccl-tests.")
    file: str = Field(max_length=255, description="The name of the file.")
    sha256: str = Field(max_length=64, description="The checksum of the whole file as it was sent.")
    line: int = Field(ge=1, description="The line at which the table begins.")
    rows: int = Field(ge=1, description="The rows that count: their cells agree with each other.")
    flagged: int = Field(0, ge=0, description="Rows that count for nothing, since they contradict themselves.")
    is_partial: bool = Field(False, description="The beginning, rows or the end of the table are missing.")
    gpu: str | None = Field(None, description="The GPU; null: it is not known.")
    nodes: int | None = Field(None, description="The number of nodes; null: it is not known.")
    versions: dict[str, str] = Field(default_factory=dict, description="The versions that the file states.")
    environment: dict[str, str] = Field(
        default_factory=dict, description="Variables that influence a run, without secrets."
    )
