"""The live stream: messages to browsers, with ids that only grow and a short memory to resume from."""

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Literal

from ringscope.contracts.words.units import is_whole_number
from ringscope_server.live.messages import Message, Messages, MessageType
from ringscope_server.live.rounds import Pause, Rounds
from ringscope_server.live.subscriber import Subscriber

HEARTBEAT_SECONDS = 10.0  # half of the time after which a page no longer calls itself live
FOREIGN = -1
MAX_DIGITS = 19  # bits of an id: milliseconds since 1970 and the messages since the start
_JOB = "job:"
EVERYBODY = "*"  # a topic of every subscriber
LATE: Literal["late"] = "late"  # the key of a message that a new subscriber gets as well


class Stream:
    """Fan-out of messages to subscribers; a slow one must start over and does not slow the rest."""

    def __init__(self, heartbeat_seconds: float = HEARTBEAT_SECONDS, pause: Pause = asyncio.sleep) -> None:
        self._heartbeat_seconds = heartbeat_seconds
        # Ids keep growing over a restart, so that an id from before it is recognised as too old.
        self._last_id = time.time_ns() // 1_000_000
        # A newer state replaces the older one here as well, so that frequent states do not displace the rest.
        self._memory = Messages()
        self._complete_from = self._last_id  # every message after this id is in the memory, or a newer state of its key
        # Other servers also count, and know nothing of this one's messages.
        self._instance = secrets.token_hex(4)
        self._subscribers: set[Subscriber] = set()
        self._topics: Counter[str] = Counter()  # and the number of subscribers of each
        self._rounds = Rounds(self._subscribers, pause)

    @property
    def subscribers(self) -> int:
        """The number of open streams."""
        return len(self._subscribers)

    @property
    def dropped_total(self) -> int:
        """The number of messages that were dropped because their readers were too slow."""
        return self._rounds.dropped_total

    @property
    def watched_jobs(self) -> set[int]:
        """The jobs whose own topic has a subscriber."""
        numbers = (topic.removeprefix(_JOB) for topic in self._topics if topic.startswith(_JOB))
        return {int(number) for number in numbers if is_whole_number(number)}

    def is_watched(self, job_id: int) -> bool:
        """Return whether this job's own topic has a subscriber."""
        return f"{_JOB}{job_id}" in self._topics

    def publish(self, topics: Iterable[str], type: MessageType, data: Any, key: str | None = None) -> None:
        """Send a message once to every subscriber of one of ``topics``."""
        self._last_id += 1
        message = Message.of(self._last_id, self._instance, frozenset(topics), type, data, key)
        self._memory.add(message)
        while self._memory.is_over:
            self._complete_from = self._memory.take_oldest().id
        if any(topic in self._topics for topic in message.topics):
            self._rounds.add(message)

    def remembers(self, key: str) -> bool:
        """Return whether the newest state of this key is still known."""
        return key in self._memory

    def publish_nothing(self) -> None:
        """Note a change without subscribers: a reader that resumes from before now must start over."""
        self._last_id += 1
        self._memory.take()
        self._complete_from = self._last_id

    def start_over(self) -> None:
        """Make every reader load everything again, now or when it resumes, because messages may be missing."""
        self.publish_nothing()
        self._rounds.add(self._empty("reset", self._last_id))

    def event_id(self, message: Message) -> str:
        """Return the message's id for the reader, which returns the last one when it resumes: it only grows, and names
        this stream.
        """
        return f"{message.id}-{self._instance}"

    def number_of(self, event_id: str | None) -> int | None:
        """Return the number in ``event_id``, None for none; FOREIGN, which is too old, if another server made it."""
        if event_id is None:
            return None
        number, _, instance = event_id.partition("-")
        is_number = is_whole_number(number) and len(number) <= MAX_DIGITS
        return int(number) if instance == self._instance and is_number else FOREIGN

    @contextmanager
    def subscription(self, topics: Iterable[str], last_id: int | None) -> Iterator[Subscriber]:
        """Subscribe to topics from now on; with ``last_id``, first send what came after it, or a ``reset``."""
        heard = frozenset((*topics, EVERYBODY))
        subscriber = Subscriber(heard, self._last_id, self._about_stream, self._heartbeat_seconds)
        if last_id is not None and not self._complete_from <= last_id <= self._last_id:
            subscriber.put(self._empty("reset", self._last_id))
        elif last_id is not None:
            for message in self._memory:
                if message.id > last_id and not message.topics.isdisjoint(heard):
                    subscriber.put(message)
        elif (standing := self._memory.newest(LATE)) is not None:
            subscriber.put(Message.of(self._last_id, self._instance, standing.topics, LATE, standing.data, LATE))
        self._subscribers.add(subscriber)
        self._topics.update(heard)
        try:
            yield subscriber
        finally:
            self._subscribers.discard(subscriber)
            self._topics -= Counter(heard)

    @property
    def owners(self) -> set[int]:
        """The tokens and sessions that opened the streams."""
        return {subscriber.owner for subscriber in self._subscribers if subscriber.owner is not None}

    def count_of(self, token_id: int) -> int:
        """Return how many streams this token and its sessions have open."""
        return sum(subscriber.token_id == token_id for subscriber in self._subscribers)

    def end(self, owners: set[int]) -> None:
        """End the streams of these tokens and sessions, which are no longer valid."""
        for subscriber in self._subscribers:
            if subscriber.owner in owners:
                subscriber.close()

    def end_over(self, now: datetime) -> None:
        """End the streams of tokens and sessions that have expired."""
        for subscriber in self._subscribers:
            if subscriber.ends_at is not None and subscriber.ends_at <= now:
                subscriber.close()

    def close(self) -> None:
        """End every open stream, because the server stops."""
        self._rounds.finish()
        for subscriber in self._subscribers:
            subscriber.close()

    def _about_stream(self, type: MessageType, position: int) -> Message:
        """Return a message for a reader that has got everything up to this id: a reader that resumes from it has missed
        nothing.
        """
        is_current = type == "heartbeat" and self._rounds.is_idle
        return self._empty(type, self._last_id if is_current else position)

    def _empty(self, type: MessageType, id: int) -> Message:
        return Message.of(id, self._instance, frozenset((EVERYBODY,)), type, {}, None)
