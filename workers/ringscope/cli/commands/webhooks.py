"""`ringscope webhooks` and `ringscope webhook …`: URLs that receive events."""

import time
from typing import Annotated

import typer

from ringscope.cli.connection import Url, as_typed, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, complain, say, say_json
from ringscope.cli.follow import POLL_SECONDS
from ringscope.cli.formatting import AsJson, Columns, Quiet, named, say_list, say_one, when
from ringscope.client import Client, Delivery, EventType, NewWebhook, Webhook
from ringscope.contracts.words.units import is_whole_number

Which = Annotated[str, typer.Argument(metavar="WEBHOOK", help="Its name or number.")]

_COLUMNS: Columns[Webhook] = {
    "ID": lambda webhook: webhook.id,
    "NAME": lambda webhook: webhook.name,
    "URL": lambda webhook: webhook.url,
    "EVENTS": lambda webhook: ",".join(webhook.events),
    "STATE": lambda webhook: "enabled" if webhook.is_enabled else "disabled",
}
_EVENT_COLUMNS: Columns[EventType] = {
    "EVENT": lambda event: event.type,
    "MEANING": lambda event: event.meaning,
}
_DELIVERY_COLUMNS: Columns[Delivery] = {
    "ID": lambda delivery: delivery.id,
    "EVENT": lambda delivery: delivery.event_type,
    "STATE": lambda delivery: delivery.state,
    "TRIES": lambda delivery: delivery.tries,
    "STATUS": lambda delivery: delivery.last_status,
    "CREATED": lambda delivery: when(delivery.created_at),
    "NEXT": lambda delivery: when(delivery.next_attempt_at),
    "ERROR": lambda delivery: delivery.last_error,
}
# A server starts a try once a second, and a try ends after 10 s.
_TRIED_WITHIN_SECONDS = 20


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command()(webhooks)
    group = typer.Typer(
        help="Work with one webhook: events, add, show, enable, disable, remove, test, deliveries, redeliver."
    )
    for command in (events, add, show, enable, disable, remove, test, deliveries, redeliver):
        group.command()(command)
    app.add_typer(group, name="webhook", no_args_is_help=True)


def webhooks(as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """List the webhooks."""
    with connect(url, data_dir) as client:
        found = client.webhooks()
    say_list(found, _COLUMNS, as_json, as_typed("No webhook yet; `ringscope webhook add` makes one.", url, data_dir))


def events(as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """List the events that a webhook can receive, with their meanings."""
    with connect(url, data_dir) as client:
        found = client.event_types()
    say_list(found, _EVENT_COLUMNS, as_json, "There is no event.")


def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A unique name.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The URL that receives the messages.")],
    event: Annotated[list[str], typer.Option(help="Events to send: job.failed, node.lost, job.* ...; repeatable.")],
    quiet: Quiet = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Add a URL that receives events, and print the secret that signs its messages, which is not shown again."""
    body = {"name": name, "url": target, "events": event, "is_enabled": True}
    with connect(url, data_dir) as client:
        made = client.add_webhook(body)
    if as_json:
        say_json(made.model_dump_json(indent=2))
        return
    if not quiet:
        complain(f"{_line(made)}. Keep its secret now, it is not shown again:")
    say(made.secret)


def show(which: Which, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Show one webhook."""
    with connect(url, data_dir) as client:
        found = _find(client, which)
    say_one(found, _line(found), as_json)


def enable(which: Which, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Enable a webhook again."""
    with connect(url, data_dir) as client:
        changed = _replace(client, _find(client, which), is_enabled=True)
    say_one(changed, _line(changed), as_json)


def disable(which: Which, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Disable a webhook: it receives nothing until it is enabled again."""
    with connect(url, data_dir) as client:
        changed = _replace(client, _find(client, which), is_enabled=False)
    say_one(changed, _line(changed), as_json)


def remove(which: Which, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Remove a webhook and its deliveries."""
    with connect(url, data_dir) as client:
        found = _find(client, which)
        client.remove_webhook(found.id)
    say(f"Webhook {found.id} {found.name} is removed.")


def test(which: Which, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Send a webhook a message of type webhook.test, and print the receiver's answer."""
    with connect(url, data_dir) as client:
        webhook_id = _find(client, which).id
        sent = _tried(client, webhook_id, client.test_webhook(webhook_id))
    say_one(sent, _told(sent), as_json)


def deliveries(
    which: Which,
    limit: Annotated[int, typer.Option(min=1, help="Number of deliveries to print at most, newest first.")] = 20,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """List a webhook's messages and their results, newest first."""
    with connect(url, data_dir) as client:
        found = list(client.deliveries(_find(client, which).id, limit))
    say_list(
        found,
        _DELIVERY_COLUMNS,
        as_json,
        as_typed("Nothing was sent yet; `ringscope webhook test` sends a message.", url, data_dir),
    )


def redeliver(
    which: Which,
    delivery_id: Annotated[int, typer.Argument(metavar="DELIVERY", help="The number of the delivery.")],
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Send the same message again."""
    with connect(url, data_dir) as client:
        sent = client.redeliver(_find(client, which).id, delivery_id)
    say_one(sent, _told(sent), as_json)


def _find(client: Client, which: str) -> Webhook:
    return client.webhook(int(which)) if is_whole_number(which) else named("webhook", which, client.webhooks())


def _replace(client: Client, found: Webhook, is_enabled: bool) -> Webhook:
    return client.replace_webhook(found.id, found.body() | {"is_enabled": is_enabled}, found.revision)


def _tried(client: Client, webhook_id: int, sent: Delivery) -> Delivery:
    """Return the delivery after its first try; as it is if the server does not try in time."""
    deadline = time.monotonic() + _TRIED_WITHIN_SECONDS
    while sent.state == "pending" and not sent.last_error and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        sent = next((found for found in client.deliveries(webhook_id, 100) if found.id == sent.id), sent)
    return sent


def _line(webhook: Webhook | NewWebhook) -> str:
    state = "receives" if webhook.is_enabled else "is disabled; it received"
    return f"Webhook {webhook.id} {webhook.name}: {webhook.url} {state} {', '.join(webhook.events)}"


def _told(delivery: Delivery) -> str:
    status = f" ({delivery.last_status})" if delivery.last_status is not None else ""
    error = f": {delivery.last_error}" if delivery.last_error else ""
    return f"Delivery {delivery.id} of {delivery.event_type}: {delivery.state}{status}{error}"
