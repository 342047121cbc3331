"""Describe what the ranks of a running job are doing."""

from collections.abc import Callable, Sequence

from ringscope.cli.formatting import when
from ringscope.client import Activity, ApiProblemError, Client, Job

_MOST_RANKS = 8


def activity_words(found: Sequence[Activity]) -> list[str]:
    """One line for each thing that is done."""
    return [_words(one) for one in found]


def loading_of(client: Client) -> Callable[[Job], str]:
    """A function that says what a job loads while it has no result yet; empty for every other job."""

    def loading(job: Job) -> str:
        if job.state != "running" or job.progress.done:
            return ""
        try:
            return "; ".join(_words(one) for one in client.activity(job.id) if one.is_loading)
        except ApiProblemError:  # a server of an earlier version, which does not send it
            return ""

    return loading


def _words(activity: Activity) -> str:
    ranks = ", ".join(map(str, activity.ranks[:_MOST_RANKS])) + (", …" if activity.count > _MOST_RANKS else "")
    who = f"rank {ranks}" if activity.count == 1 else f"ranks {ranks}"
    nodes = ", ".join(activity.nodes[:_MOST_RANKS]) + (", …" if len(activity.nodes) > _MOST_RANKS else "")
    return f"{who} on {nodes}: {activity.doing}" + (f" since {when(activity.since)}" if activity.since else "")
