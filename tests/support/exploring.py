"""A running explorer for tests, each on a port of its own, and how it is asked."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from subword import Tokenizer
from subword.explorer import Explored
from subword.explorer.server import listening, server_of

Json = dict[str, Any]

#: As many as o200k has.
MANY = 200_000


@dataclass(frozen=True)
class Answer:
    """What came back: the status, the headers, the body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        assert self.headers["content-type"] == "application/json"
        found: Json = json.loads(self.body)
        return found


@dataclass(frozen=True)
class Running:
    """An explorer that runs at an address."""

    address: str

    def request(
        self,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        method: str | None = None,
    ) -> Answer:
        """Any request, with whatever it answers."""
        asked = urllib.request.Request(
            self.address + path, body, headers or {}, method=method or ("POST" if body else "GET")
        )
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return Answer(answer.status, lowered(answer.headers), answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, lowered(error.headers), error.read())

    def ask(self, name: str, **values: Any) -> Json:
        """The answer to a question that is expected to have one."""
        answer = self.send(name, values)
        assert answer.status == 200, answer.body
        return answer.json

    def refusal(self, name: str, **values: Any) -> tuple[int, Json]:
        """How a question is refused."""
        answer = self.send(name, values)
        assert answer.status >= 400
        return answer.status, answer.json

    def send(self, name: str, values: Json) -> Answer:
        body = json.dumps(values).encode()
        return self.request(f"api/{name}", body, {"content-type": "application/json"})


def lowered(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@contextmanager
def running(explored: Sequence[Explored]) -> Iterator[Running]:
    """An explorer of these tokenizers, in a thread."""
    with listening() as listener:
        server, address = server_of(explored, listener)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Running(address)
        finally:
            server.should_exit = True
            thread.join()


def many_tokens() -> Tokenizer:
    """A tokenizer with 200,000 tokens: the bytes, all of two letters, and most of more."""
    letters = [bytes([byte]) for byte in b" abcdefghijklmnopqrstuvwxyz"]
    tokens = [bytes([byte]) for byte in range(256)]
    merges: list[tuple[bytes, bytes]] = []
    longer = letters
    while len(tokens) < MANY:
        merges += [(left, right) for left in longer for right in letters]
        merges = merges[: MANY - 256]
        longer = [left + right for left, right in merges[len(tokens) - 256 :]]
        tokens += longer
    return Tokenizer(dict(enumerate(tokens)), merges, pattern="whitespace")
