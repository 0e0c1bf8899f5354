"""The explorer and those who would harm it: strangers on this machine, large and slow requests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
from subword.explorer import Explored, app, server
from subword.explorer.questions import MOST_TEXT, Question
from subword.explorer.samples import built_in
from subword.explorer.training import PIECES, TOKENS

from tests.support.exploring import Running, running


def connected(explorer: Running) -> socket.socket:
    """A bare connection to the explorer."""
    place = urlsplit(explorer.address)
    return socket.create_connection((place.hostname, place.port), timeout=60)


# Strangers


@pytest.mark.parametrize("path", ["", "main.js", "api/tokenizers", "x", "x/api/tokenizers"])
def test_without_the_key_of_the_address_nothing_is_answered(explorer: Running, path: str) -> None:
    place = urlsplit(explorer.address)
    answer = Running(f"{place.scheme}://{place.netloc}/").request(path)
    wanted = "expected the address that was printed at the start, found one without its key"
    assert (answer.status, answer.json) == (403, {"error": wanted})


def test_every_server_has_a_key_of_its_own() -> None:
    with running(built_in()) as one, running(built_in()) as other:
        keys = [urlsplit(address).path for address in (one.address, other.address)]
        assert all(len(key) == 24 for key in keys)
        assert keys[0] != keys[1]
        stolen = Running(other.address.replace(keys[1], keys[0]))
        assert stolen.request("api/tokenizers").status == 403


# Large requests


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["none", "whitespace"])
def test_a_training_on_long_pieces_tells_only_their_first_tokens(
    explorer: Running, pattern: str
) -> None:
    words = [bytes(97 + (i * j) % 23 for j in range(1200)).decode() for i in range(1, 41)]
    answer = explorer.send(
        "train", {"text": " ".join(words), "num_merges": 100, "pattern": pattern}
    )
    assert answer.status == 200
    assert len(answer.body) < 3_000_000  # all tokens of all rounds would be 30 MB
    for told in answer.json["rounds"]:
        pieces = told["pieces"]
        assert len(pieces) <= PIECES
        assert sum(len(piece["tokens"]) for piece in pieces) <= TOKENS
        kept = sum(len(piece["tokens"]) + piece["more"] for piece in pieces)
        assert kept <= told["tokens"]
    assert answer.json["rounds"][0]["pieces"][-1]["more"] > 0


def test_tokenizers_side_by_side_share_the_limit_of_a_text(explorer: Running) -> None:
    text = "a" * (MOST_TEXT // 2 + 1)
    assert explorer.send("compare", {"tokenizers": [0], "text": text}).status == 200
    status, told = explorer.refusal("compare", tokenizers=[0, 1], text=text)
    assert status == 413
    assert told["error"] == "text: expected at most 524,288 bytes, found 524,289"


# Many and slow requests


def test_questions_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = threading.Lock()
    full = threading.Event()
    here, most = 0, 0

    def slow(_: Sequence[Explored], __: Question) -> dict[str, Any]:
        nonlocal here, most
        with lock:
            here += 1
            most = max(most, here)
            if here == app.MOST_AT_ONCE:
                full.set()
        assert full.wait(60)  # until as many as may run do; then one more would be counted
        with lock:
            here -= 1
        return {}

    monkeypatch.setattr(app, "about", slow)
    with running(built_in()) as explorer, ThreadPoolExecutor(8) as asking:
        answers = asking.map(lambda _: explorer.request("api/tokenizers").status, range(16))
        assert [*answers] == [200] * 16
    assert most == app.MOST_AT_ONCE


def test_too_many_connections_are_refused_and_leave_room_again(explorer: Running) -> None:
    held = [connected(explorer) for _ in range(server.MOST_CONNECTIONS)]
    assert explorer.request("api/tokenizers").status == 503
    for connection in held:
        connection.close()
    for _ in range(100):  # the server notices soon
        if explorer.request("api/tokenizers").status == 200:
            return
    pytest.fail("closed connections still count")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """An explorer that waits a moment only."""
    monkeypatch.setattr(app, "MOST_WAITING", 0.2)
    monkeypatch.setattr(server, "MOST_WAITING", 0.2)
    with running(built_in()) as explorer:
        yield explorer


def test_a_body_that_never_comes_is_not_waited_for(impatient: Running) -> None:
    path = urlsplit(impatient.address).path
    head = f"POST {path}api/encode HTTP/1.1\r\nhost: localhost\r\n"
    with connected(impatient) as client:
        client.sendall(
            f"{head}content-type: application/json\r\ncontent-length: 9\r\n\r\n{{".encode()
        )
        answer = client.recv(1000)
    assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nhost: localh"])
def test_a_client_that_asks_nothing_is_not_waited_for(impatient: Running, sent: bytes) -> None:
    with connected(impatient) as client:
        client.sendall(sent)
        assert client.recv(1000) == b""
