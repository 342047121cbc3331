"""Files to explain, as a request brings them. They are read in another process, and nothing is stored."""

import base64
import binascii
import zlib
from typing import Self

from pydantic import Field, model_validator

from ringscope.contracts.findings import FieldError
from ringscope.contracts.spec_model import SpecModel, at
from ringscope.expected.published import published
from ringscope.explanations.parts import File, explain
from ringscope.imports.judged import Given, judged
from ringscope_server.explanations.views import ExplainedFiles

MOST_FILES = 256
MOST_BYTES = 32 * 1024 * 1024  # All files together, decompressed; a loaded dump takes ten times as much memory.
TOO_LARGE = (
    "The files have more than 32 MiB; send fewer at a time, or use `ringscope hang` and the other commands, which read "
    "more."
)
_GZIP = 16 + zlib.MAX_WBITS


class SentFile(SpecModel):
    """One file: its text, or its compressed bytes."""

    name: str = Field(max_length=255)
    content: str | None = Field(None, description="The text of the file.")
    gzip_base64: str | None = Field(
        None, description="Instead of the text: the file's bytes, compressed with gzip, in Base64."
    )

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        if (self.content is None) == (self.gzip_base64 is None):
            raise at(("content",), "give either content or gzip_base64.", None)
        return self


class ExplainQuestion(SpecModel):
    """Files to explain together: dumps of all ranks of a job, the logs of its nodes, or files of several kinds."""

    files: tuple[SentFile, ...] = Field(min_length=1, max_length=MOST_FILES)


def explained(question: ExplainQuestion) -> bytes | list[FieldError] | None:
    """Return the explanation as JSON, the fields that cannot be read, or None if the files are too large.

    It takes processor time, up to some seconds.
    """
    files, errors, left = list[File](), list[FieldError](), MOST_BYTES
    for index, sent in enumerate(question.files):
        try:
            content = _content(sent, left)
        except (binascii.Error, zlib.error, ValueError, EOFError):
            detail = f"files.{index}.gzip_base64: it is not gzip in Base64; send the file's bytes so."
            errors.append(FieldError(pointer=f"/files/{index}/gzip_base64", detail=detail))
            continue
        left -= len(content)
        if left < 0:
            return None
        files.append(File(sent.name, content))
    if errors:
        return errors
    told = explain(files, lambda run: judged(run, Given(), published()).document())
    return ExplainedFiles.model_validate(told).model_dump_json().encode()


def _content(sent: SentFile, most_bytes: int) -> bytes:
    """Return the bytes of a file, at most one more than asked for."""
    if sent.content is not None:
        return sent.content.encode()
    packed = base64.b64decode(sent.gzip_base64 or "", validate=True)
    reader = zlib.decompressobj(_GZIP)
    content = reader.decompress(packed, most_bytes + 1)
    if len(content) <= most_bytes and not reader.eof:
        raise EOFError
    return content
