"""Tokenizers that are opened from the page: what is read, and files that mean harm."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from subword import BpeTrainer, Tokenizer
from subword.explorer import Explored, app, opening
from subword.explorer.samples import built_in

from tests.explorer.test_limits import connected
from tests.support.exploring import Answer, Running, running

FILE = {"content-type": "application/octet-stream"}

#: A small vocab.txt, which is the shortest file that is a tokenizer.
WORDS = b"[UNK]\nlow\n##er\n"

#: The tokens of a .tiktoken file: the bytes, and one more.
RANKS = b"".join(
    base64.b64encode(token) + b" %d\n" % rank
    for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), b"lo"])
)


@pytest.fixture
def fresh() -> Iterator[Running]:
    """An explorer that nothing has been opened in."""
    with running(built_in()) as found:
        yield found


def send(explorer: Running, content: bytes, name: str = "tok.json", pattern: str = "") -> Answer:
    path = f"api/open?name={quote(name)}&pattern={quote(pattern)}"
    return explorer.request(path, content, FILE, method="POST")


# What is opened


def test_a_file_becomes_one_more_tokenizer(fresh: Running, tmp_path: Path) -> None:
    tok = BpeTrainer(num_merges=3).train_iter(["low low lower lower newer"])
    tok.save(tmp_path / "tok.json")
    answer = send(fresh, (tmp_path / "tok.json").read_bytes()).json
    assert (answer["tokenizer"], answer["about"]["name"]) == (2, "tok.json")
    assert fresh.ask("encode", tokenizer=2, text="lower")["ids"] == tok.encode("lower")
    told = fresh.ask("tokenizers")["tokenizers"]
    assert [one["name"] for one in told] == ["small", "smaller", "tok.json"]
    assert told[2] == answer["about"]


def test_a_tiktoken_file_needs_a_pattern(fresh: Running) -> None:
    answer = send(fresh, RANKS, "odd.tiktoken")
    assert (answer.status, answer.json) == (
        400,
        {
            "error": "odd.tiktoken: a .tiktoken file does not say how text is cut into pieces",
            "hint": "choose its pattern: cl100k, o200k, or gpt2 for r50k_base and p50k_base",
        },
    )
    assert send(fresh, RANKS, "odd.tiktoken", "gpt2").json["tokenizer"] == 2
    assert fresh.ask("encode", tokenizer=2, text="low")["tokens"] == 2
    assert send(fresh, RANKS, "odd.tiktoken", "(a+)+$").status == 400


def test_the_same_file_again_is_the_tokenizer_that_is_there(fresh: Running) -> None:
    assert send(fresh, WORDS, "words.txt").json["tokenizer"] == 2
    assert send(fresh, WORDS, "other.txt").json["about"]["name"] == "words.txt"
    other = send(fresh, WORDS + b"new\n", "words.txt").json
    assert (other["tokenizer"], other["about"]["name"]) == (3, "words.txt (2)")


def test_an_opened_tokenizer_is_seen_by_one_server_only() -> None:
    explored = built_in()
    with running(explored) as one, running(explored) as other:
        assert send(one, WORDS).status == 200
        assert len(one.ask("tokenizers")["tokenizers"]) == 3
        assert len(other.ask("tokenizers")["tokenizers"]) == len(explored) == 2


# Files that mean harm

DEEP = b'{"model":' * 100_000
NESTED = json.dumps(
    {"version": "1.0", "model": {"type": "BPE", "vocab": [], "merges": {}}}
).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 1000,
        b"PK\x03\x04",
        b"\x1f\x8b\x08\x00",
        b"<script>alert(1)</script>",
        b"{}",
        b'{"a": 1}',
        b"[" * 100_000,
        DEEP,
        NESTED,
        b'{"model": {"type": "BPE", "vocab": {"a": 18446744073709551616}, "merges": []}}',
        b'{"model": {"type": "BPE", "vocab": {"a": 4294967295}, "merges": []}}',
        b'{"model": {"type": "WordPiece", "vocab": {"\\ud800": 0}, "unk_token": "\\ud800"}}',
        RANKS[:-3],
        b"AA== 99999999999999999999\n",
        b"AA== 4000000000\n",
        "\u202e[UNK]\nlow".encode("utf-16"),
    ],
)
def test_what_is_no_tokenizer_is_refused_in_words(fresh: Running, content: bytes) -> None:
    answer = send(fresh, content, "bad.json")
    assert answer.status == 400
    assert answer.json["error"].startswith("bad.json: ")
    assert len(answer.body) < 2000
    assert len(fresh.ask("tokenizers")["tokenizers"]) == 2


def with_regex(regex: str) -> bytes:
    """A tokenizer.json that cuts text by a regular expression."""
    letters = [chr(code) for code in (*range(33, 127), *range(161, 173), *range(174, 256))]
    letters += [chr(code) for code in range(256, 324)]  # the bytes, as GPT-2 spells them
    split = {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    told: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]},
        "post_processor": None,
        "decoder": {"type": "ByteLevel"},
        "model": {
            "type": "BPE",
            "vocab": dict(zip(letters, range(256), strict=True)),
            "merges": [],
        },
    }
    return json.dumps(told).encode()


def test_a_pattern_that_never_ends_is_given_up(fresh: Running) -> None:
    assert send(fresh, with_regex(r"\w+|\s+"), "good.json").status == 200
    assert send(fresh, with_regex(r"(?=(a|aa)+(?=b)c)\w|\w"), "slow.json").status == 200
    status, told = fresh.refusal("encode", tokenizer=3, text="a" * 5000)
    assert status == 400
    assert "gave up at byte 0" in told["error"]
    assert send(fresh, with_regex(r"(a+)+\1b"), "odd.json").status == 400


def test_a_name_is_shown_and_never_a_path(fresh: Running) -> None:
    for at, (name, shown) in enumerate(
        [
            ("../../etc/passwd", "passwd"),
            ("C:\\tokens\\a.txt", "a.txt"),
            ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
            ("\u202eevil\0\n.txt", "evil.txt"),
            ("x" * 500, "x" * 80),
            ("", "a file"),
        ]
    ):
        content = WORDS + b"w%d\n" % at
        assert send(fresh, content, name).json["about"]["name"] == shown
    assert send(fresh, WORDS, "x" * 1001).status == 413


def test_a_file_that_is_too_long_is_not_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(opening, "MOST_FILE", 1000)
    with running(built_in()) as explorer:
        answer = send(explorer, b"[UNK]\n" + b"a\n" * 1000)
    wanted = "expected a body of at most 1,000 bytes, found more"
    assert (answer.status, answer.json) == (413, {"error": wanted})


def test_there_is_an_end_of_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MOST_OPENED", 3)
    with running(built_in()) as explorer:
        assert send(explorer, WORDS).status == 200
        answer = send(explorer, WORDS + b"more\n")
        assert answer.status == 413
        assert answer.json["error"] == "expected at most 3 tokenizers, found one more"
        assert send(explorer, WORDS).json["tokenizer"] == 2  # it is there already


def test_only_a_page_of_ours_may_open(fresh: Running) -> None:
    cross = {**FILE, "sec-fetch-site": "cross-site"}
    assert fresh.request("api/open?name=a", WORDS, cross).status == 403
    for kind in ("text/plain", "multipart/form-data", "application/json", ""):
        answer = fresh.request("api/open?name=a", WORDS, {"content-type": kind})
        assert answer.status == 415, kind
    assert fresh.request("api/open?name=a").status == 405
    assert len(fresh.ask("tokenizers")["tokenizers"]) == 2


def test_a_file_that_never_comes_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_WAITING", 0.2)
    with running(built_in()) as explorer:
        path = urlsplit(explorer.address).path
        head = f"POST {path}api/open?name=a HTTP/1.1\r\nhost: localhost\r\n"
        head += "content-type: application/octet-stream\r\ncontent-length: 9\r\n\r\n["
        with connected(explorer) as client:
            client.sendall(head.encode())
            assert send(explorer, WORDS).status == 200  # in its turn, after the other is given up
            assert client.recv(1000).startswith(b"HTTP/1.1 408 ")


def test_files_that_are_sent_together_all_arrive(fresh: Running) -> None:
    found: list[int] = []
    together = [
        threading.Thread(
            target=lambda at=at: found.append(send(fresh, WORDS + b"w%d\n" % at).json["tokenizer"])
        )
        for at in range(6)
    ]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join()
    assert sorted(found) == [*range(2, 8)]
    names = [one["name"] for one in fresh.ask("tokenizers")["tokenizers"]]
    assert len({*names}) == 8


def test_a_hostile_vocabulary_is_asked_everything() -> None:
    """Tokens that are long, alike, or no text: every question has an answer or a refusal."""
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [b"a" * 2**n for n in range(1, 16)] + [b"\xff" * 50, "\u202e\0".encode()]
    ranks = b"".join(base64.b64encode(token) + b" %d\n" % at for at, token in enumerate(tokens))
    tok = Tokenizer.load(ranks, pattern="none")
    with running([Explored("odd", tok)]) as explorer:
        for name in ("vocabulary", "kinds", "token", "samples"):
            assert explorer.send(name, {"text": "aaa", "limit": 1000}).status == 200, name
        for id in (256, 270, 271, 272):
            assert explorer.send("token", {"id": id}).status in (200, 413)
            assert explorer.send("larger", {"id": id}).status == 200
