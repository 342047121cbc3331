"""The server's directives as this agent reads them: an assignment of another version does not hide the others."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, PlainValidator, ValidationError

from ringscope.contracts.protocol import Assignment, Stamped


class Foreign(BaseModel):
    """An assignment that this version does not understand: what it needs to refuse it."""

    attempt_id: int
    token: str
    finding: str = Field(description="The field that this version does not know, and why it is refused.")


def _read(told: Any) -> Assignment | Foreign:
    try:
        return Assignment.model_validate(told)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        finding = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        if not isinstance(told, dict):
            raise
        return Foreign.model_validate({**told, "finding": finding})


_Read = Annotated[Assignment | Foreign, PlainValidator(_read)]


class ReadDirectives(Stamped):
    """``Directives`` of the protocol, whose assignments are read one by one."""

    revision: int
    assignments: list[_Read] | None
    rotate_token: bool = False

    def known(self) -> list[Assignment]:
        """Return the assignments that this version understands."""
        return [one for one in self.assignments or () if isinstance(one, Assignment)]

    def foreign(self) -> list[Foreign]:
        """Return the others."""
        return [one for one in self.assignments or () if isinstance(one, Foreign)]
