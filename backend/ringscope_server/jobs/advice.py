"""The next step for a job, as a sentence with the commands of the CLI between backticks. Pure."""

from collections.abc import Sequence

# The next step for the reason of a job that ended; {id} is the job's number, {node} the node where it ended.
ENDED = {
    "completed": "`ringscope show {id}` has the numbers.",
    "imported": "`ringscope show {id}` has the rows and says whether they are what was to be expected.",
    "user_cancelled": "`ringscope retry {id}` runs it again.",
    "time_limit": "`ringscope clone {id} --set time_limit_seconds=N` gives it more time.",
    "queue_timeout": "`ringscope clone {id} --set queue_timeout_seconds=null` waits for ever, "
    "--set placement.ranks=N asks for less.",
    "launch_failed": "`ringscope node {node}` shows the node; `ringscope logs {id}` shows the launcher's lines, if it "
    "printed any.",
    "preflight_failed": "`ringscope diagnose --job {id}` measures its nodes again; `ringscope drain {node} --reason "
    "...` keeps other jobs from the node.",
    "links_cut": "`ringscope retry {id}` runs it again once the nodes reach each other.",
    "start_timeout": "`ringscope clone {id} --set start_seconds=N` gives each part of the start more time; "
    "`ringscope node {node}` shows the node.",
    "node_lost": "`ringscope nodes` shows whether it is back; `ringscope retry {id}` runs the job again.",
    "rank_exit": "`ringscope logs {id}` has the last lines of the rank, if it printed any.",
    "rank_signal": "The kernel's log of the node may name what killed it; `ringscope logs {id}` has the last "
    "lines, if the rank printed any.",
    "oom": "`ringscope clone {id} --set benchmark.max_bytes=SIZE` takes less memory, for training "
    "training.global_batch_size=N.",
    "hang_detected": "`ringscope insights {id}` shows what each rank was doing, `ringscope node {node}` the node that "
    "made no progress. `ringscope retry {id}` runs the job again.",
    "verification_failed": "The results were wrong: drain the node (`ringscope drain {node} --reason ...`) and check "
    "its memory, GPUs and links before it gets work again.",
    "diverged": "A lower training.learning_rate (`ringscope clone {id} --set training.learning_rate=N`) or "
    "training.clip_norm=1 may prevent it; training.resume_from={id} continues from its last finite "
    "checkpoint.",
    "results_missing": "`ringscope logs {id}` may show why; the agent's log on the first node has more.",
    "preempted": "A job of higher priority took its slots; `ringscope priority {id} N` raises the priority of the "
    "next attempt.",
    "resized": "`ringscope retry {id}` runs it again.",
    "agent_restarted": "`ringscope retry {id}` runs it again.",
    "launcher_lost": "The kernel's log of the node may name what killed it; `ringscope retry {id}` runs the job again.",
    "server_error": "The server's log has the details; `ringscope retry {id}` runs it again.",
}
# The next step for the reason for which a job waits.
WAITING = {
    "backoff": "There is nothing to do: it is retried automatically.",
    "no_node": "`ringscope nodes` shows why; `ringscope resume NAME` ends a drain, `ringscope clone {id} --set "
    "placement.…` asks for other nodes.",
    "version_skew": "Install the same versions on these nodes; `ringscope node NAME` lists them.",
    "same_address": "Start each agent with its own --address; `ringscope node NAME` shows the address of a node.",
    "not_quiet": "It starts when their load average falls; `ringscope clone {id} --set placement.quiet=false` starts "
    "without waiting for that.",
    "preempting": "There is nothing to do: it starts when they have ended.",
    "user_cap": "It starts when other jobs of the same user end.",
    "leaving": "`ringscope clone {id} --set time_limit_seconds=N` with less fits into the time that the nodes "
    "stay; `ringscope nodes` shows until when that is. A higher priority does not help.",
    "slots": "`ringscope nodes` shows what is free; `ringscope clone {id} --set placement.ranks=N` asks for less.",
    "shape": "`ringscope nodes` shows what is free; `ringscope clone {id} --set placement.…` asks for another shape.",
    "behind": "`ringscope priority {id} N` moves it up the queue.",
    "reserved": "`ringscope clone {id} --set time_limit_seconds=N` with less may start before the other job; "
    "`ringscope priority {id} N` moves it up the queue.",
}
_ANY_ENDED = "`ringscope logs {id}` has its output, if there was any; `ringscope retry {id}` runs it again."
_ANY_WAITING = "`ringscope nodes` shows what is free."


def advice(
    job_id: int, state: str, reason: str | None = None, waits_for: str | None = None, nodes: Sequence[str] = ()
) -> str:
    """Return the next step for a job in this state, which ended for ``reason`` or waits for the reason ``waits_for``.

    ``nodes`` may have caused its end; a single one is named.
    """
    node = nodes[0] if len(nodes) == 1 else "NAME"
    return _sentence(state, reason or "", waits_for or "").format(id=job_id, node=node)


def _sentence(state: str, reason: str, waits_for: str) -> str:
    match state:
        case "held":
            return "`ringscope release {id}` puts it into the queue."
        case "queued":
            return WAITING.get(waits_for, _ANY_WAITING)
        case "starting" | "running":
            return "`ringscope logs {id} -f` follows it."
        case "stopping":
            return "There is nothing to do: its processes are being ended; then its slots are free."
    return ENDED.get(reason, _ANY_ENDED)
