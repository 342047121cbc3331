"""Describe what would happen to a job if it were submitted."""

from ringscope.cli.caveats import titled
from ringscope.cli.formatting import until
from ringscope.client import Delay, QueuePlan


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
