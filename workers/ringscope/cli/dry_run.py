"""Describe what would happen to a job if it were submitted."""

import json
from collections.abc import Mapping
from typing import Any

from ringscope.cli.caveats import titled
from ringscope.cli.console import say, say_json
from ringscope.cli.formatting import until
from ringscope.client import Client, Delay, QueuePlan, SearchPreview
from ringscope.contracts.words.units import plural


def say_plan(client: Client, body: Mapping[str, Any], as_json: bool) -> None:
    """Print what would happen to a job; of a strategy search also which candidates would run, and why others not."""
    plan = client.plan_queue(body)
    candidates = client.preview_search(body) if body.get("kind") == "strategy_search" else None
    if as_json:
        found = plan.model_dump(mode="json", by_alias=True)
        found |= {} if candidates is None else candidates.model_dump(mode="json", include={"candidates", "left_out"})
        say_json(json.dumps(found, indent=2))
        return
    say(in_words(plan))
    if candidates is not None:
        say(candidates_in_words(candidates))


def candidates_in_words(found: SearchPreview) -> str:
    """Name the candidates of a search that would run, and say why others would not, one line each."""
    lines = [f"{plural(len(found.candidates), 'candidate')}: {', '.join(found.candidates)}."]
    lines += [f"{each.name} would be left out: {each.reason}" for each in found.left_out]
    return "\n".join(lines + list(found.warnings))


def in_words(plan: QueuePlan) -> str:
    """Say when and where the job would start or why it would wait, then which jobs it would delay, one line each."""
    lines = [_start(plan)]
    if not plan.starts_now:
        lines += [f"Why: {plan.pending.sentence}"] if plan.pending else []
        lines += [f"It would be number {plan.position} in the queue."] if plan.position is not None else []
    lines += [plan.placed_because] if plan.placed_because else []
    if plan.preempted_jobs:
        lines.append(f"It would end {', '.join(f'job {job_id}' for job_id in plan.preempted_jobs)}, of lower priority.")
    lines += [_delay(delay) for delay in plan.delays] or ["It would delay no other job."]
    return "\n".join(lines)


def _start(plan: QueuePlan) -> str:
    where = ", ".join(f"{share.node} ({len(share.slots)} slots)" for share in plan.shares)
    on = f" on {where}" if where else ""
    if plan.starts_now:
        return f"It would start now{on}."
    if plan.estimated_start is None:
        return "It would wait; its start cannot be predicted yet."
    return f"It would wait, and start about {until(plan.estimated_start)}{on}."


def _delay(delay: Delay) -> str:
    name = f"Job {delay.job_id} {titled(delay.name, delay.is_simulated)}".rstrip()
    before = "an unknown time" if delay.before is None else until(delay.before)
    after = "an unknown time" if delay.after is None else until(delay.after)
    return f"{name} would start later: about {after} instead of {before}."
