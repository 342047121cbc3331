"""`ringscope tokens` and `ringscope token …`: access of people to the API, and of nodes to the cluster."""

from typing import Annotated

import typer

from ringscope.cli.connection import Url, as_typed, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, complain, say, say_json
from ringscope.cli.formatting import AsJson, Columns, Quiet, say_list, say_one, until, when
from ringscope.client import Token

_COLUMNS: Columns[Token] = {
    "ID": lambda token: token.id,
    "NAME": lambda token: token.name,
    "KIND": lambda token: token.kind,
    "ROLE": lambda token: token.role,
    "NODE": lambda token: token.node,
    "CREATED": lambda token: when(token.created_at),
    "BY": lambda token: token.created_by,
    "EXPIRES": lambda token: when(token.expires_at) or "never",
    "LAST USED": lambda token: when(token.last_used_at) or "never",
    "ROTATES": lambda token: f"since {when(token.rotation_wanted_at)}" if token.rotation_wanted_at else "",
    "NOTE": lambda token: token.note,
}


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command()(tokens)
    group = typer.Typer(help="Work with tokens: add, share, rotate, revoke.")
    for command in (add, share, rotate, revoke):
        group.command()(command)
    app.add_typer(group, name="token", no_args_is_help=True)


def tokens(as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """List the tokens, without their secrets."""
    with connect(url, data_dir) as client:
        found = client.tokens()
    say_list(found, _COLUMNS, as_json, as_typed("No token; `ringscope token add` makes one.", url, data_dir))


def add(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Name of the user; for a join token, the name of the person who adds nodes."
        ),
    ],
    role: Annotated[str | None, typer.Option(help="Role of a user: viewer, operator or admin.")] = None,
    kind: Annotated[
        str, typer.Option(help="personal; join: lets nodes join, with `ringscope agent --join-token`; agent: a node's.")
    ] = "personal",
    days: Annotated[float | None, typer.Option(help="Days until it expires; default: never.")] = None,
    note: Annotated[str | None, typer.Option(help="Purpose of the token.")] = None,
    node: Annotated[str | None, typer.Option(help="Node that an agent's token belongs to.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Create a token and print its secret, which is not shown again: TOKEN=$(ringscope token add ci --role operator
    -q).
    """
    with connect(url, data_dir) as client:
        made = client.add_token(name, kind, role, days, note, node)
    if as_json:
        say_json(made.model_dump_json(indent=2))
        return
    if not quiet:
        complain(f"{_line(made)}. Keep the secret now, it is not shown again:")
    say(made.secret)


def share(
    next_path: Annotated[
        str, typer.Argument(metavar="PAGE", help="The page that the link opens, such as /jobs/7; default: the first.")
    ] = "/",
    days: Annotated[float | None, typer.Option(help="Days until the link expires, at most 30; default: 7.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Print a link with which anyone can view everything and change nothing, until it expires or is revoked."""
    with connect(url, data_dir) as client:
        made = client.share_link(next_path, days)
    if as_json:
        say_json(made.model_dump_json(indent=2))
        return
    if not quiet:
        ends = f"It expires {until(made.expires_at)}; `ringscope token revoke {made.id}` ends it now."
        complain(as_typed(f"Anyone with this link can view everything and change nothing. {ends}", url, data_dir))
    say(made.url)


def rotate(
    token_id: Annotated[int, typer.Argument(metavar="ID", help="The number of a node's token.")],
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Replace a node's token: its agent fetches a new one with its next poll, and running jobs continue."""
    with connect(url, data_dir) as client:
        token = client.rotate_token(token_id)
    sentence = (
        f"Token {token_id} is rotated at the next call of the agent of node {token.node}; until then the old one is "
        "valid."
    )
    say_one(token, sentence, as_json)


def revoke(
    token_id: Annotated[int, typer.Argument(metavar="ID", help="The token's number.")],
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Revoke a token and everything created with it: browser sessions, tokens of nodes that joined."""
    with connect(url, data_dir) as client:
        client.revoke_token(token_id)
    say(f"Token {token_id} is revoked, with everything that was created with it.")


def _line(token: Token) -> str:
    ends = f"until {until(token.expires_at)}" if token.expires_at else "without an end"
    what = token.role if token.kind == "personal" else token.kind
    return f"Token {token.id} {token.name} ({what}), {ends}"
