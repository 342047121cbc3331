"""Order in which connections were closed: it shows which rank ended first when all end together."""

import select


class CloseOrder:
    """The order in which connections were closed at their other end, even if data is still unread.

    The kernel queues ready connections in order, and here only a hang-up makes a connection ready.
    """

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._places: dict[int, int] = {}
        self._count = 0

    def watch(self, descriptor: int) -> None:
        """Watch a connection until ``take_place`` is called for it."""
        self._epoll.register(descriptor, select.EPOLLRDHUP)

    def take_place(self, descriptor: int) -> int:
        """Return how many connections were closed before this one, and forget this one."""
        for ready, _ in self._epoll.poll(0):
            self._put(ready)
        if descriptor not in self._places:  # closed at this end
            self._put(descriptor)
        return self._places.pop(descriptor)

    def close(self) -> None:
        """Stop watching."""
        self._epoll.close()

    def _put(self, descriptor: int) -> None:
        self._epoll.unregister(descriptor)
        self._places[descriptor] = self._count
        self._count += 1
