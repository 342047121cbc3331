"""The output of `ringscope check`: sentences, JSON, JUnit XML and the exit code."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import typer

from ringscope.cli.console import EXIT_BAD_INPUT, say, say_json
from ringscope.contracts.errors import UserError
from ringscope.preflight.judgement import EXIT_CODES, FINE, LOW, UNKNOWN, WRONG, Finding, overall
from ringscope.report.junit import document, new_case

EXIT_UNKNOWN = EXIT_CODES[UNKNOWN]


class CheckCommand(typer.core.TyperCommand):
    """A command whose wrong options end with the exit code of what could not be judged, as 2 is a wrong result."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as usual."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if getattr(error, "exit_code", None) == EXIT_BAD_INPUT:
                error.exit_code = EXIT_UNKNOWN  # type: ignore[attr-defined]  # click's, which typer vendors
            raise


@dataclass(frozen=True)
class Outcome:
    """The findings about ``subject``, such as this machine; ``notes`` explain them."""

    subject: str
    findings: Sequence[Finding]
    notes: Sequence[str] = ()

    @property
    def word(self) -> str:
        """Return the word for all of it."""
        return overall(self.findings)

    @property
    def exit_code(self) -> int:
        """Return 0 if all is fine, 1 if something is low, 2 for a wrong result, 3 if it could not be judged."""
        return EXIT_CODES[self.word]

    @property
    def sentence(self) -> str:
        """Return the result in one sentence."""
        telling = [one.sentence for one in self.findings if one.word == self.word]
        if self.word == FINE or not telling:
            return f"{self.subject}: {self.word}."
        more = f" ({len(telling) - 1} more)" if len(telling) > 1 else ""
        return f"{self.subject}: {self.word}. {telling[0]}{more}"


def show(outcome: Outcome, as_json: bool, junit_file: Path | None) -> None:
    """Print the outcome, and write the XML if asked."""
    if as_json:
        told = {"subject": outcome.subject, "word": outcome.word, "exit_code": outcome.exit_code}
        findings = [one.document() for one in outcome.findings]
        say_json(json.dumps(told | {"findings": findings, "notes": list(outcome.notes)}, indent=2))
    else:
        say(outcome.sentence)
        for sentence in (*(one.sentence for one in outcome.findings), *outcome.notes):
            if sentence not in outcome.sentence:
                say(sentence)
    if junit_file is not None:
        write_text(junit_file, junit(outcome), "--junit")


def junit(outcome: Outcome) -> str:
    """Return JUnit XML: what is low or wrong fails, what could not be judged is an error."""
    return document([(f"check of {outcome.subject}", [_case(outcome, one) for one in outcome.findings])])


def _case(outcome: Outcome, finding: Finding) -> Element:
    case = new_case(f"check of {outcome.subject}", finding.name)
    if finding.word in (LOW, WRONG):
        SubElement(case, "failure", message=finding.sentence)
    elif finding.word == UNKNOWN:
        SubElement(case, "error", message=finding.sentence)
    return case


def write_text(path: Path, text: str, option: str) -> None:
    """Write a file; UserError that names the option if it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"{option}: {path} cannot be written ({error.strerror}); choose another file.") from None
