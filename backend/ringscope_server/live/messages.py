"""Messages of the live stream: each is encoded once, as it is sent to every reader that may see it."""

import json
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

MessageType = Literal[
    "job", "measurements", "steps", "log", "node", "insight_opened", "insight_closed", "late", "reset", "heartbeat"
]
# This many messages, and bytes, are kept for one reader, as many as are remembered: all of these can be replayed.
QUEUE, QUEUE_BYTES = 1_000, 8 << 20


@dataclass(frozen=True, slots=True)
class Message:
    """One server-sent event. ``key`` names the state that it replaces; None for additions such as log lines."""

    id: int
    topics: frozenset[str]
    type: MessageType
    frame: bytes  # as it is sent; its JSON is ASCII on one line
    key: str | None

    @classmethod
    def of(
        cls, id: int, instance: str, topics: frozenset[str], type: MessageType, data: Any, key: str | None
    ) -> "Message":
        """Make a message with ``data`` and an id that names its stream. Raises ValueError for what is not JSON."""
        text = json.dumps(data, separators=(",", ":"), allow_nan=False)
        frame = f"event: {type}\ndata: {text}\nid: {id}-{instance}\n\n".encode("ascii")
        return cls(id, topics, type, frame, key)

    @property
    def size_bytes(self) -> int:
        """The bytes that it takes to keep."""
        return len(self.frame)

    @property
    def data(self) -> Any:
        """The content of the message."""
        return json.loads(self.frame.split(b"\n", 2)[1].removeprefix(b"data: "))


class Messages:
    """Messages in the order of their ids; a newer state replaces the older one of its key."""

    def __init__(self) -> None:
        self._by_place: OrderedDict[str | int, Message] = OrderedDict()
        self._size_bytes = 0

    def __len__(self) -> int:
        return len(self._by_place)

    def __contains__(self, key: str) -> bool:
        return key in self._by_place

    def newest(self, key: str) -> Message | None:
        """Return the newest state of this key, if it is kept."""
        return self._by_place.get(key)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._by_place.values())

    def add(self, message: Message) -> None:
        """Append a message."""
        place = message.id if message.key is None else message.key
        before = self._by_place.pop(place, None)
        self._size_bytes += message.size_bytes - (before.size_bytes if before else 0)
        self._by_place[place] = message

    def take_oldest(self) -> Message:
        """Remove and return the first message."""
        _, oldest = self._by_place.popitem(last=False)
        self._size_bytes -= oldest.size_bytes
        return oldest

    def take(self) -> list[Message]:
        """Remove and return all messages."""
        taken = [*self]
        self._by_place.clear()
        self._size_bytes = 0
        return taken

    @property
    def is_over(self) -> bool:
        """Return whether they exceed the limits."""
        return len(self) > QUEUE or self._size_bytes > QUEUE_BYTES
