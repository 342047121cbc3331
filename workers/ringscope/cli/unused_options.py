"""Refuse options that would do nothing, so that a number is not mistaken for the effect of an ignored option."""

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.collectives import REDUCING, ROOTED
from ringscope.contracts.words.devices import SIMULATED

NOTHING_TO_WAIT_FOR = dict.fromkeys(
    ("--wait", "--follow"), "--dry-run submits no job to wait for; leave one of the two out."
)
# Options that a simulated sweep ignores: the model gives every operation of a row the same time.
_ONLY_MEASURED = (
    "--warmup",
    "--aggregate",
    "--blocking",
    "--average",
    "--rotate",
    "--check",
    "--timeout",
)


def refuse_unused(context: typer.Context, reasons: Mapping[str, str]) -> None:
    """Raise UserError for each option of ``reasons`` that the command was given, with its reason.

    An option whose value is its default asks for nothing and is never refused.
    """
    options = {flag: option for option in context.command.params for flag in option.opts}
    given = [flag for flag in reasons if flag in options and _is_given(context, options[flag])]
    if given:
        raise UserError(*(f"{flag}: {reasons[flag]}" for flag in given))


def all_for(flags: Sequence[str], reason: str) -> dict[str, str]:
    """Return the same reason for each of the flags."""
    return dict.fromkeys(flags, reason)


def unused_in_sweep(benchmark: Mapping[str, Any]) -> dict[str, str]:
    """Return the options that have no effect in this benchmark, each with the reason and the remedy."""
    collective = benchmark.get("collective", "all_reduce")
    found = {}
    if collective not in ROOTED:
        found["--root"] = f"only {' and '.join(sorted(ROOTED))} have a root; leave it out."
    if collective not in REDUCING:
        found["--op"] = f"{collective} does not reduce; leave it out."
    if not benchmark.get("per_iteration"):
        found["--skip-iterations"] = "it affects only the report of -I; add -I 1, or leave it out."
    if benchmark.get("transport") == SIMULATED:
        reason = "it has no effect on the cost model's times of a simulated sweep; leave it out."
        found |= all_for(_ONLY_MEASURED, reason)
    return found


def _is_given(context: typer.Context, option: Any) -> bool:
    """Return whether the command line, and not a variable, sets another value than the default."""
    source = context.get_parameter_source(option.name)
    field = BenchmarkSpec.model_fields.get(option.name)
    usual = (option.default, field.default if field else None)
    return source is not None and source.name == "COMMANDLINE" and context.params[option.name] not in usual
