"""A cable between browser and server that can be pulled."""

import contextlib
import socket
import threading
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.web.browsing import Site


class Cable:
    """Listens on a port of its own and passes every byte on; while it is cut, connections end and none is taken."""

    def __init__(self, url: str) -> None:
        server = urlsplit(url)
        self._server = (server.hostname or "127.0.0.1", server.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._is_cut = False
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def cut(self) -> None:
        """End every connection, and take none."""
        with self._lock:
            self._is_cut = True
            for end in self._ends:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Take connections again."""
        self._is_cut = False

    def __enter__(self) -> "Cable":
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        # Wakes the thread in accept, which a close alone does not.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _listen(self) -> None:
        while True:
            try:
                browser, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(browser,), daemon=True).start()

    def _join(self, browser: socket.socket) -> None:
        with browser, socket.create_connection(self._server) as server:
            with self._lock:  # else one that comes as the cable is cut would outlive that
                if self._is_cut:
                    return
                self._ends |= {browser, server}
            back = threading.Thread(target=_pass_on, args=(server, browser), daemon=True)
            back.start()
            _pass_on(browser, server)
            back.join()
            with self._lock:
                self._ends -= {browser, server}


@dataclass
class Cabled(Site):
    """The same site behind a cable. Cookies know hosts and no ports, so that a session holds on both sides."""

    cable: Cable | None = None

    @property
    def url(self) -> str:
        assert self.cable is not None
        return self.cable.url

    def fresh_link(self) -> str:
        return super().fresh_link().replace(self.lab.url, self.url)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
