"""`ringscope lab`: a cluster of network namespaces on this machine, for experiments."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ringscope.cli.commands.up import AllowEnv, Scripts
from ringscope.cli.connection import Url, server_url, token
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, command_name, say, say_json, stderr_console, stdout_console
from ringscope.cli.formatting import AsJson, table
from ringscope.cli.patience import MOST_TIMES, START_SECONDS
from ringscope.cli.unused_options import refuse_unused
from ringscope.client import Client, is_ready
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.units import format_duration, parse_duration, parse_rate
from ringscope.lab.host import Host
from ringscope.lab.lab import MACHINE, Lab, WantedLab, wait_until
from ringscope.lab.network import MAX_HOSTS, Link
from ringscope.rank.load import crowding

SERVER_SECONDS = 15.0  # how long a server that is starting may take to answer

HostName = Annotated[str, typer.Argument(metavar="HOST", help="The host's name, such as h3.")]
Rate = Annotated[str, typer.Option(help="Rate of each host's link in each direction: 80mbit, 1gbit.")]
Delay = Annotated[str, typer.Option(help="Delay of a packet at each entry into a link: 50us. Needs tc's netem.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    lab = typer.Typer(no_args_is_help=True, help="A cluster of network namespaces on this machine (root).")
    for command in (up, status, degrade, cut, heal, down):
        lab.command()(command)
    app.add_typer(lab, name="lab")


def up(
    context: typer.Context,
    hosts: Annotated[int, typer.Option(min=1, max=MAX_HOSTS, help="Number of hosts.")] = 4,
    rate: Rate = "1gbit",
    delay: Delay = "0us",
    racks: Annotated[
        int, typer.Option(min=1, help="Number of racks, each with a switch; a rack is a label of its hosts.")
    ] = 1,
    oversubscription: Annotated[float, typer.Option(min=1, help="Oversubscription of the racks' uplinks.")] = 1.0,
    slots: Annotated[int, typer.Option(min=1, max=4096, help="Slots of each host.")] = 2,
    prefix: Annotated[str, typer.Option(help="Prefix of the hosts' names; a number follows.")] = "h",
    scripts: Scripts = None,
    allow_env: AllowEnv = None,
    join_token: Annotated[
        str | None,
        typer.Option(
            envvar="RINGSCOPE_JOIN_TOKEN", help="Join token; needed if the server has another data directory."
        ),
    ] = None,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Start hosts with shaped links and an agent each; returns once all of them are ready."""
    if racks == 1:
        refuse_unused(context, {"--oversubscription": "one rack has no uplink; add --racks 2, or leave it out."})
    if racks > hosts:
        raise UserError(f"--racks: {racks} racks are more than {hosts} hosts; take fewer.")
    wanted = WantedLab(
        hosts=hosts,
        rate_bit_per_s=_rate("--rate", rate),
        delay_us=_delay("--delay", delay),
        racks=racks,
        oversubscription=oversubscription,
        slots=slots,
        server=_server(url, data_dir),
        prefix=prefix,
        allow_env=allow_env or [],
        scripts=_folder(scripts),
    )
    lab = Lab(data_dir)
    lab.require_none()
    started = time.monotonic()
    with Client(wanted.server, token(data_dir.expanduser())) as client:
        _require_free_names(client, wanted)
        lab.up(wanted, {"RINGSCOPE_JOIN_TOKEN": join_token} if join_token else None)
        try:
            _wait_for_nodes(client, lab)
        except BaseException:
            lab.down()
            raise
    uplinks = f", {racks} racks, uplinks oversubscribed {oversubscription:g}:1" if racks > 1 else ""
    first, last = lab.hosts[0].name, lab.hosts[-1].name
    took = f"{hosts} hosts are ready after {time.monotonic() - started:.1f} s"
    say(f"{took}: {first} to {last}, {_words(lab.link(first))}{uplinks}.")
    say("They are network namespaces of this machine and share its cores; only the limits of their links are real.")
    say(f"  try       {command_name()} submit --ranks {hosts} --ranks-per-node 1 -b 1M -e 16M --wait")
    say(f"  end       {command_name()} lab down")


def _folder(scripts: Path | None) -> Path | None:
    if scripts is None:
        return None
    folder = scripts.expanduser().resolve()
    if not folder.is_dir():
        raise UserError(f"--scripts: {scripts} is no folder; name the one that holds the scripts, or leave it out.")
    return folder


def status(as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Show each host: the current state of its link, whether its agent runs, and its state on the server."""
    lab = Lab(data_dir)
    state, layout = lab.state, None
    if state is None:
        say("null" if as_json else "There is no lab on this data directory.")
        return
    layout = lab.layout()
    known = _nodes(url or state.wanted.server, data_dir)
    rows = [
        {
            "host": host.name,
            "address": layout.addresses[number],
            "rack": layout.rack_name(number),
            "link": "cut"
            if (trouble := state.trouble.get(host.name)) and trouble.is_cut
            else _words(lab.link(host.name)),
            "agent": "runs" if lab.is_alive(host.name) else "has ended",
            "processes": len(lab.processes(host.name)),
            "node": known.get(host.name, "unknown to the server"),
        }
        for number, host in enumerate(lab.hosts)
    ]
    if as_json:
        say_json(json.dumps(rows, indent=2))
        return
    stdout_console().print(table([heading.upper() for heading in rows[0]], [list(row.values()) for row in rows]))


def degrade(
    host: HostName,
    rate: Annotated[str | None, typer.Option(help="The link's new rate: 10mbit.")] = None,
    delay: Annotated[str | None, typer.Option(help="The link's new delay: 5ms. Needs tc's netem.")] = None,
    loss: Annotated[str | None, typer.Option(help="Share of packets that are lost: 5%.")] = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Limit a host's rate, or add delay or packet loss to its link."""
    if rate is None and delay is None and loss is None:
        raise UserError("Give --rate, --delay or --loss.")
    lab = Lab(data_dir)
    lab.degrade(
        host,
        None if rate is None else _rate("--rate", rate),
        None if delay is None else _delay("--delay", delay),
        None if loss is None else _loss(loss),
    )
    say(f"Host {host}: {_words(lab.link(host))}")


def cut(host: HostName, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Disconnect a host: neither the other hosts nor the server reach it."""
    Lab(data_dir).cut(host)
    say(f"Host {host}: cut")


def heal(host: HostName, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Restore a host's link, and start its agent if it has ended."""
    lab = Lab(data_dir)
    lab.heal(host)
    say(f"Host {host}: {_words(lab.link(host))}")


def down(data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Stop the agents and remove every host and link, also after a crash."""
    found = Lab(data_dir).down()
    say("The lab is down." if found else "There was no lab on this data directory.")


def _server(url: str | None, data_dir: Path) -> str:
    """Return the server once it answers: it may just have been started."""

    def look() -> bool:
        return is_ready(server_url(url, data_dir))

    if not look():
        with stderr_console().status("Waiting for the server …"):
            wait_until(look, SERVER_SECONDS)
    found = server_url(url, data_dir)
    if not is_ready(found):
        raise UserError(
            f"No server has answered at {found} for {SERVER_SECONDS:g} s; start one with "
            f"`{command_name()} up` or `{command_name()} server`."
        )
    return found


def _require_free_names(client: Client, wanted: WantedLab) -> None:
    """Check the names of the nodes; nodes of an earlier lab of this machine, which may not be lost yet, are taken
    over.
    """
    names = {f"{wanted.prefix}{number + 1}" for number in range(wanted.hosts)}
    for node in client.nodes():
        if node.name in names and node.observed != "lost" and node.labels.get("lab") != MACHINE:
            raise UserError(f"--prefix: the server has a living node {node.name} already; choose another prefix.")


def _wait_for_nodes(client: Client, lab: Lab) -> None:
    """Wait until the server reports every host ready; UserError with the end of an agent's log if an agent ends
    first.
    """
    hosts = lab.hosts
    begun = time.monotonic()
    ready: set[str] = set()

    def look() -> bool:
        since = time.monotonic() - begun
        # A node of this name may be known from an earlier lab: only a heartbeat after the start counts.
        fresh = {node.name for node in client.nodes() if node.is_up and node.heartbeat_age_seconds < since}
        ready.update(fresh & {host.name for host in hosts})
        return len(ready) == len(hosts) or not all(lab.is_alive(host.name) for host in hosts)

    with stderr_console().status("Waiting for the agents …"):
        wait_until(look, START_SECONDS * min(MOST_TIMES, crowding()))
    late = [host for host in hosts if host.name not in ready]
    if late:
        raise UserError(_late(late, lab.is_alive))


def _late(late: list[Host], is_alive: Callable[[str], bool]) -> str:
    host = next((host for host in late if not is_alive(host.name)), late[0])
    what = "was not ready in time" if is_alive(host.name) else "ended"
    return f"The agent of host {host.name} {what}: {host.last_words or 'it printed nothing'}"


def _nodes(url: str, data_dir: Path) -> dict[str, str]:
    try:
        with Client(url, token(data_dir.expanduser())) as client:
            return {node.name: node.observed for node in client.nodes()}
    except UserError:
        return {}


def _words(link: Link) -> str:
    mbit = link.rate_bit_per_s / 1e6
    rate = f"{mbit / 1e3:g} Gbit/s" if mbit >= 1e3 else f"{mbit:g} Mbit/s"
    delay = f", {format_duration(link.delay_us / 1e6)} delay" if link.delay_us else ""
    return rate + delay + (f", {link.loss * 100:.3g}% of the packets lost" if link.loss else "")


def _rate(flag: str, text: str) -> int:
    """Parse a rate in bit per second, also in tc's notation: 80mbit."""
    try:
        return round(parse_rate(text if "/" in text or text.lower().endswith("ps") else f"{text}/s") * 8)
    except ValueError:
        raise UserError(f"{flag}: {text!r} is not a rate; write it like 80mbit, 1gbit or 10Gbit/s.") from None


def _delay(flag: str, text: str) -> float:
    try:
        return parse_duration(text) * 1e6
    except ValueError as error:
        raise UserError(f"{flag}: {error}") from None


def _loss(text: str) -> float:
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = -1.0
    if not 0 <= percent < 100:
        raise UserError(f"--loss: {text!r} is not a share of packets; write it like 5% (0% to below 100%).")
    return percent / 100
