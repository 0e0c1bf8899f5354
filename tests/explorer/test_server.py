"""The explorer's server: who may ask, what is refused and how, and what the page is made of."""

from __future__ import annotations

import http.client
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from subword import BpeTrainer, ModelFormatError, Tokenizer, training_log
from subword._cli import main
from subword.explorer import Explored
from subword.explorer.explored import add_log
from subword.explorer.questions import MOST_TEXT, Question
from subword.explorer.samples import built_in
from subword.explorer.server import listening

from tests.support.exploring import Running, running
from tests.support.repository import ROOT

STATIC = ROOT / "python/subword/explorer/static"
NAMES = ["tokenizers", "encode", "compare", "samples", "tokens", "token", "larger", "find"]
NAMES += ["vocabulary", "kinds", "train"]


# Who may ask


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_another_host_is_refused(explorer: Running, host: str) -> None:
    answer = explorer.request("api/tokenizers", headers={"host": host})
    assert answer.status == 421
    wanted = f'expected the host 127.0.0.1 or localhost, found "{host}"'
    assert answer.json == {"error": wanted}


@pytest.mark.parametrize("host", ["localhost", "localhost:1234", "127.0.0.1:80", "[::1]:80"])
def test_the_names_of_this_machine_are_answered(explorer: Running, host: str) -> None:
    assert explorer.request("api/tokenizers", headers={"host": host}).status == 200


@pytest.mark.parametrize("path", ["", "api/tokenizers", "api/nothing", "main.js"])
def test_every_answer_has_the_headers(explorer: Running, path: str) -> None:
    headers = explorer.request(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers


def test_a_question_of_another_site_is_refused(explorer: Running) -> None:
    headers = {"sec-fetch-site": "cross-site"}
    answer = explorer.request("api/encode?text=low", headers=headers)
    wanted = "expected a request of this page, found one of another site"
    assert (answer.status, answer.json) == (403, {"error": wanted})
    assert explorer.request("", headers=headers).status == 200  # a link to the page is none


def test_a_body_of_a_form_is_refused(explorer: Running) -> None:
    answer = explorer.request("api/encode", b"{}", {"content-type": "text/plain"})
    wanted = 'expected a body of application/json, found "text/plain"'
    assert (answer.status, answer.json) == (415, {"error": wanted})


def test_it_listens_on_the_loopback_alone(explorer: Running) -> None:
    assert urlsplit(explorer.address).hostname == "127.0.0.1"
    with listening() as listener:
        assert listener.family == socket.AF_INET
        host, port = listener.getsockname()
    assert host == "127.0.0.1"  # and not 0.0.0.0, which is every address of the machine
    assert port > 0


# What is refused


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_refused(explorer: Running, body: bytes) -> None:
    answer = explorer.request("api/encode", body, {"content-type": "application/json"})
    assert (answer.status, answer.json) == (400, {"error": "expected JSON, found something else"})


def test_what_is_no_object_is_refused(explorer: Running) -> None:
    answer = explorer.request("api/encode", b"[1]", {"content-type": "application/json"})
    wanted = "expected an object of JSON, found another value"
    assert (answer.status, answer.json) == (400, {"error": wanted})


def test_a_text_that_is_too_long_is_refused(explorer: Running) -> None:
    status, told = explorer.refusal("encode", text="a" * (MOST_TEXT + 1))
    assert status == 413
    assert told == {
        "error": "text: expected at most 1,048,576 bytes, found 1,048,577",
        "hint": "subword encode takes files of any size",
    }
    assert len(Question({"text": "a" * MOST_TEXT}).text()) == MOST_TEXT


def test_a_body_that_is_too_long_is_not_read_to_its_end(explorer: Running) -> None:
    place = urlsplit(explorer.address)
    connection = http.client.HTTPConnection(place.netloc, timeout=60)
    connection.putrequest("POST", f"{place.path}api/encode")
    connection.putheader("content-type", "application/json")
    connection.putheader("content-length", str(1 << 40))
    connection.endheaders()
    connection.send(b" " * 9_000_000)
    answer = connection.getresponse()
    assert answer.status == 413
    told = json.loads(answer.read())
    assert told == {"error": "expected a body of at most 8,000,000 bytes, found more"}
    connection.close()


@pytest.mark.parametrize(
    ("name", "values", "status", "error"),
    [
        ("encode", {"tokenizer": 7}, 404, "tokenizer: expected a number up to 1, found 7"),
        ("encode", {"tokenizer": "x"}, 400, 'expected a number from 0 to 2147483648, found "x"'),
        ("encode", {"tokenizer": True}, 400, "found True"),
        ("encode", {"text": 5}, 400, "text: expected a string, found 5"),
        ("encode", {"base64": "?"}, 400, "base64: expected bytes in base64"),
        ("encode", {"base64": "", "text": ""}, 400, "expected one of them, found both"),
        ("encode", {"unit": "words"}, 400, 'unit: expected "bytes" or "chars", found "words"'),
        ("encode", {"special": []}, 400, 'special: expected "text" or "encode", found []'),
        ("compare", {"tokenizers": [0] * 7}, 413, "tokenizers: expected at most 6, found 7"),
        ("compare", {"tokenizers": "0,x"}, 400, 'found "x"'),
        ("compare", {"tokenizers": {}}, 400, "tokenizers: expected a list of numbers, found {}"),
        ("token", {"id": 600}, 404, "id: no token has id 600"),
        ("larger", {"id": 600}, 404, "id: no token has id 600"),
        ("tokens", {"ids": [600]}, 404, "ids: no token has id 600"),
        ("find", {"text": "a" * 1001}, 413, "text: expected at most 1,000 bytes, found 1,001"),
        ("vocabulary", {"limit": 1001}, 400, "limit: expected a number from 0 to 1000, found 1001"),
        ("vocabulary", {"search": "a" * 1001}, 413, "search: expected at most 1000 characters"),
        ("vocabulary", {"search": 1}, 400, "search: expected a string, found 1"),
        ("vocabulary", {"only": "rare"}, 400, "only: expected some of special, unreachable"),
        ("vocabulary", {"sort": "x" * 99}, 400, 'found "' + "x" * 59 + "..."),
        ("train", {"text": "a" * 50_001}, 413, "text: expected at most 50,000 bytes, found 50,001"),
        ("train", {"num_merges": 301}, 400, "num_merges: expected a number from 0 to 300"),
        ("train", {"pattern": "(a+)+$"}, 400, 'pattern: expected "bert" or '),
    ],
)
def test_a_refusal_names_the_value(
    explorer: Running, name: str, values: dict[str, object], status: int, error: str
) -> None:
    found, told = explorer.refusal(name, **values)
    assert found == status
    assert error in told["error"]


def test_what_a_tokenizer_cannot_encode_is_told_with_its_hint() -> None:
    tok = Tokenizer({0: b"a"}, [], units="chars", pattern="whitespace")
    with running([Explored("letters", tok)]) as explorer:
        status, told = explorer.refusal("encode", text="ab")
    assert status == 400
    assert "at position 1" in told["error"]


def test_a_bug_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    explored = built_in()
    monkeypatch.setattr(Explored, "about", lambda self: 1 / 0)
    with running(explored) as explorer:
        answer = explorer.request("api/tokenizers")
    assert (answer.status, answer.json["error"]) == (
        500,
        "ZeroDivisionError, which is a bug: tell us",
    )


# Addresses


@pytest.mark.parametrize(
    "path", ["api/nothing", "api/vocabulary/", "nothing.js", "../app.py", "%2e%2e/app.py", "static"]
)
def test_other_addresses_lead_nowhere(explorer: Running, path: str) -> None:
    answer = explorer.request(path)
    assert answer.status == 404
    assert answer.json["error"].endswith(": not found")


def test_other_methods_are_refused(explorer: Running) -> None:
    answer = explorer.request("api/encode", method="DELETE")
    assert (answer.status, answer.json) == (
        405,
        {"error": "DELETE /api/encode: method not allowed"},
    )


def test_the_page_is_sent_as_it_is(explorer: Running) -> None:
    for path in STATIC.iterdir():
        answer = explorer.request("" if path.name == "index.html" else path.name)
        assert (answer.status, answer.body) == (200, path.read_bytes())


def test_the_page_names_no_other_machine_and_makes_no_html() -> None:
    for path in STATIC.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "//" not in re.sub(r"(^|\s)//", "", text), path.name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
        assert not re.search(r"<[^>]+\s(on\w+|style)=", text), path.name


@pytest.mark.parametrize("name", NAMES)
def test_every_question_has_an_answer_without_any_value(explorer: Running, name: str) -> None:
    assert explorer.request(f"api/{name}").json
    assert explorer.ask(name)


# The command


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    BpeTrainer(num_merges=3).train_iter(["low lower lowest"]).save(tmp_path / "tok.json")
    command = [sys.executable, "-c", "from subword._cli import main; main()", "explore"]
    with subprocess.Popen(
        [*command, "tok.json", "--no-browser"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.fullmatch(r"exploring tok.json at (http://127\.0\.0\.1:\d+/[\w-]{22}/)\n", line)
        assert match
        assert Running(match[1]).ask("encode", text="low")["tokens"] == 1
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "Ctrl-C ends it\n\n")


def test_the_command_opens_a_browser_unless_it_is_told_not_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr("webbrowser.open", told.put)

    def serve(explored: object, port: int, ready: Callable[[str], object]) -> None:
        ready("http://127.0.0.1:1/")
        raise KeyboardInterrupt

    monkeypatch.setattr("subword.explorer.serve", serve)
    result = CliRunner().invoke(main, ["explore"])
    assert (result.exit_code, told.get(timeout=30)) == (0, "http://127.0.0.1:1/")
    assert result.stdout == "exploring small, smaller at http://127.0.0.1:1/\n"
    assert CliRunner().invoke(main, ["explore", "--no-browser"]).exit_code == 0
    assert told.empty()


def test_a_port_that_is_taken_is_an_error(explorer: Running) -> None:
    port = urlsplit(explorer.address).port
    result = CliRunner().invoke(main, ["explore", "--port", str(port), "--no-browser"])
    assert (result.exit_code, result.stderr) == (
        1,
        f"error: --port {port}: another program uses this port\n"
        "  hint: leave --port out for one that is free\n",
    )


def test_several_patterns_are_one_for_each_file_without(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["explore", "a.tiktoken", "--pattern", "gpt2", "--pattern", "none"]
    )
    assert result.exit_code == 2
    assert "expected one, or 1 for the .tiktoken files, found 2" in result.stderr


@pytest.mark.parametrize("name", ["starlette", "uvicorn"])
def test_without_its_packages_the_command_names_them(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    gone = ("subword.explorer", f"{name}.")  # what is loaded already would be found all the same
    for loaded in [loaded for loaded in sys.modules if loaded.startswith(gone)]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, name, None)
    result = CliRunner().invoke(main, ["explore"])
    assert (result.exit_code, result.stderr) == (
        1,
        "error: the explorer needs Starlette and uvicorn\n  hint: pip install 'subword[explore]'\n",
    )


def test_a_log_gives_the_counts_of_its_tokenizer(tmp_path: Path) -> None:
    tok = BpeTrainer(num_merges=3).train_iter(["low low lower lower newer"])
    log = training_log(tok)
    assert log is not None
    log.save(tmp_path / "log.jsonl")
    tok.save(tmp_path / "tok.json")
    loaded = Explored("tok", Tokenizer.load(tmp_path / "tok.json"))
    assert loaded.building.of(257)["count"] is None
    again = Explored("tok", Tokenizer.load(tmp_path / "tok.json"))
    add_log([again], tmp_path / "log.jsonl")
    assert again.building.of(257)["count"] == 4
    assert again.about()["training_counts"]
    with pytest.raises(ModelFormatError, match="it has other merges"):
        add_log(built_in(), tmp_path / "log.jsonl")
    (tmp_path / "log.jsonl").write_text('{"rank": 1}\n')
    with pytest.raises(ModelFormatError, match=r"log.jsonl:1: expected a line of the log"):
        add_log([again], tmp_path / "log.jsonl")
