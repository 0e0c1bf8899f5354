"""The server: on the loopback, below a secret path, until Ctrl-C."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Callable, Sequence

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from subword.explorer.app import MOST_WAITING, application
from subword.explorer.explored import Explored

LOOPBACK = "127.0.0.1"

#: How many connections there may be at a time. A browser opens six.
MOST_CONNECTIONS = 32


class Impatient(H11Protocol):
    """A connection that is closed unless a request arrives in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(MOST_WAITING, self.close_unless_asked)

    def close_unless_asked(self) -> None:
        """Close the connection of a client that has not sent the head of a request."""
        if self.cycle is None:
            self.transport.close()


def serve(
    explored: Sequence[Explored], port: int = 0, ready: Callable[[str], object] = print
) -> None:
    """Serve the explorer until it is interrupted; ``ready`` is told the address first.

    Port 0 is any that is free. What asks before the server runs waits in the queue of the socket.
    """
    with listening(port) as listener:
        server, address = server_of(explored, listener)
        ready(address)
        server.run(sockets=[listener])


def listening(port: int = 0) -> socket.socket:
    """A socket on the loopback that queues what comes."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener


def server_of(explored: Sequence[Explored], listener: socket.socket) -> tuple[uvicorn.Server, str]:
    """A server that has not started, and the address of its page, which nobody can guess."""
    secret = secrets.token_urlsafe(16)
    config = uvicorn.Config(
        application(explored, secret),
        http=Impatient,
        limit_concurrency=MOST_CONNECTIONS,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config), f"http://{LOOPBACK}:{listener.getsockname()[1]}/{secret}/"
