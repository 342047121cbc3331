"""`ringscope nodes`, `node`, `drain`, `resume` and similar commands: the nodes of the cluster."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import typer

from ringscope.cli.connection import Url, as_typed, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say, say_json
from ringscope.cli.formatting import AsJson, Columns, label_words, node_state, say_list, say_one, span, until
from ringscope.cli.job_body import label_changes
from ringscope.client import Node
from ringscope.client.views.nodes import Blame, GpuState
from ringscope.contracts.words.units import format_size, plural

NodeName = Annotated[str, typer.Argument(metavar="NAME", help="The node's name.")]

_COLUMNS: Columns[Node] = {
    "NAME": lambda node: node.name,
    "STATE": lambda node: node_state(node),
    "SLOTS": lambda node: f"{node.slots_busy}/{node.slots_total}",
    "FREE": lambda node: node.slots_free,
    "QUARANTINED": lambda node: len(quarantined(node)) or "",
    "GPUS": lambda node: gpus(node),
    "LABELS": lambda node: label_words(node.labels),
    "HEARTBEAT": lambda node: f"{span(node.heartbeat_age_seconds)} ago",
}


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    for command in (nodes, node, drain, resume):
        app.command()(command)
    app.command("label-node")(label_node)
    app.command("release-slot")(release_slot)
    app.command("remove-node")(remove_node)


def nodes(as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """List the nodes: state and blame of a diagnosis, busy, total and free slots, GPUs, labels."""
    with connect(url, data_dir) as client:
        found = client.nodes()
        blames = {} if as_json else _blames(client.cluster().blamed)
    say_list(
        found,
        {**_COLUMNS, "STATE": lambda node: ", ".join(filter(None, (node_state(node), blames.get(node.name))))},
        as_json,
        as_typed("No node yet; `ringscope up` or `ringscope agent` starts one.", url, data_dir),
    )


def node(name: NodeName, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Show one node: its state, its hardware, and the ranks on its slots."""
    with connect(url, data_dir) as client:
        found = client.node(name)
        state = client.node_ras(name).state if found.inventory and found.inventory.nccl_ras else None
        states = client.node_gpus(name).gpus if found.inventory and found.inventory.gpus and not as_json else []
    if as_json:
        say_json(found.model_dump_json(indent=2))
        return
    say(_line(found))
    for line in _facts(found):
        say(line)
    for gpu in states:
        say(f"gpu {gpu.index:<5} {gpu_words(gpu) or gpu.model}")
    if state is not None:
        say(f"nccl-ras  {state.error or state.answer} (asked {span(state.age_seconds)} ago)")
        for remark in state.remarks[1:]:
            say(f"          {remark.sentence}")


def drain(
    name: NodeName,
    reason: Annotated[str, typer.Option(help="Reason, which other users can see.")],
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Give a node no new work; running jobs continue."""
    with connect(url, data_dir) as client:
        changed = client.drain(name, reason)
    say_one(changed, _line(changed), as_json)


def resume(name: NodeName, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Give a drained node work again."""
    with connect(url, data_dir) as client:
        changed = client.resume(name)
    say_one(changed, _line(changed), as_json)


def label_node(
    name: NodeName,
    words: Annotated[
        list[str], typer.Argument(metavar="KEY=VALUE|KEY-", help="Labels to set (KEY=VALUE) or to remove (KEY-).")
    ],
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Change a node's labels: rack=r1 sets one, rack- removes it."""
    changes = label_changes(words)
    with connect(url, data_dir) as client:
        found = client.label_node(name, changes)
    say_one(found, f"Node {found.name}: labels {label_words(found.labels) or 'none'}", as_json)


def release_slot(
    name: NodeName,
    slot: Annotated[int, typer.Argument(metavar="SLOT", min=0, help="The slot's number.")],
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Release a quarantined slot, after you have checked that nothing runs there."""
    with connect(url, data_dir) as client:
        changed = client.release_slot(name, slot)
    say_one(changed, _line(changed), as_json)


def remove_node(name: NodeName, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Forget a lost node that nothing runs on."""
    with connect(url, data_dir) as client:
        client.remove_node(name)
    say(f"Node {name} is forgotten.")


def _blames(blamed: Sequence[Blame]) -> dict[str, str]:
    """Return the words for each node that a diagnosis blames, alone or with a link of it; the newest blame counts."""
    oldest_first = blamed[::-1]
    ordered = sorted(oldest_first, key=lambda each: each.kind == "node")
    words = {"node": "blamed", "link": "link blamed"}
    told = [each for each in ordered if each.kind in words]
    return {name: f"{words[each.kind]} by job {each.job_id}" for each in told for name in each.names}


def quarantined(node: Node) -> list[int]:
    """Return the slots whose last processes may still exist."""
    return [slot.slot for slot in node.slots if slot.quarantine]


def gpus(node: Node) -> str:
    """Return the node's GPUs by model: 8x NVIDIA H200."""
    models = Counter(gpu.model for gpu in node.inventory.gpus) if node.inventory else {}
    return ", ".join(f"{number}x {model}" for model, number in models.items())


def gpu_words(gpu: GpuState) -> str:
    """Return what a GPU does and what is wrong with it, as far as it reports it."""
    power_limit = "" if gpu.power_limit_watts is None else f" of {gpu.power_limit_watts:.0f}"
    most_clock = "" if gpu.most_clock_mhz is None else f" of {gpu.most_clock_mhz:.0f}"
    words = [
        None if gpu.temperature_celsius is None else f"{gpu.temperature_celsius} C",
        None if gpu.power_watts is None else f"{gpu.power_watts:.0f}{power_limit} W",
        None if gpu.clock_mhz is None else f"{gpu.clock_mhz:.0f}{most_clock} MHz",
        gpu.slowed_by and f"slowed by {', '.join(gpu.slowed_by)}",
        gpu.ecc_corrected and f"{plural(gpu.ecc_corrected, 'corrected memory error')}",
        gpu.ecc_uncorrected and f"{plural(gpu.ecc_uncorrected, 'uncorrected memory error')}",
        gpu.is_remap_pending and "reset it to replace broken memory",
        gpu.nvlinks_up and f"{plural(gpu.nvlinks_up, 'NVLink')}",
        gpu.nvlink_errors and f"{plural(gpu.nvlink_errors, 'NVLink error')}",
        gpu.xids and f"XID {', '.join(map(str, dict.fromkeys(gpu.xids)))}",
    ]
    return ", ".join(str(word) for word in words if word)


def _line(node: Node) -> str:
    slots = f"{node.slots_busy} of {node.slots_total} slots busy, {node.slots_free} free"
    return f"Node {node.name}: {node_state(node)}, {slots}"


def _facts(node: Node) -> list[str]:
    """Yield one line for each property of the node."""
    facts = [f"address   {node.address}, last heartbeat {span(node.heartbeat_age_seconds)} ago"]
    if node.clock_offset_seconds is not None and node.clock_error_seconds is not None:
        offset_ms, error_ms = node.clock_offset_seconds * 1e3, node.clock_error_seconds * 1e3
        facts.append(f"clock     {offset_ms:+.3f} ± {error_ms:.3f} ms against the server's")
    if node.inventory:
        memory = format_size(node.inventory.memory_bytes)
        facts.append(f"hardware  {node.inventory.cores} cores, {memory}, {gpus(node) or 'no GPU'}")
        if node.inventory.allow_env:
            facts.append(f"variables {', '.join(node.inventory.allow_env)}")
    facts.append(f"labels    {label_words(node.labels) or 'none'}")
    if node.leaves_at:
        facts.append(f"leaves    {until(node.leaves_at)}")
    facts.append(f"versions  {', '.join(f'{name} {version}' for name, version in sorted(node.versions.items()))}")
    for slot in node.slots:
        use = "free" if slot.job_id is None else f"rank {slot.rank} of job {slot.job_id}"
        facts.append(f"slot {slot.slot:<4} " + (f"quarantined: {slot.quarantine}" if slot.quarantine else use))
    return facts
