"""The server: on the loopback, until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence

import uvicorn

from subword.explorer.app import application
from subword.explorer.explored import Explored

LOOPBACK = "127.0.0.1"


def serve(
    explored: Sequence[Explored], port: int = 0, ready: Callable[[str], object] = print
) -> None:
    """Serve the explorer until it is interrupted; ``ready`` is told the address first.

    Port 0 is any that is free. What asks before the server runs waits in the queue of the socket.
    """
    with listening(port) as listener:
        server = server_of(explored)
        ready(f"http://{LOOPBACK}:{listener.getsockname()[1]}/")
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


def server_of(explored: Sequence[Explored]) -> uvicorn.Server:
    """A server that has not started."""
    config = uvicorn.Config(
        application(explored),
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)
