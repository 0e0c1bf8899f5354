"""Facts that commands print: as JSON, as lists and colours, and in one style of numbers."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
import subword
from click.testing import CliRunner
from subword import BpeTrainer, Tokenizer, explain, explain_text, open_tokens
from subword._cli import main
from subword._cli.painting import coloured
from subword._cli.spans import spans

TEXT = "the lowest of the low were slower than the slowest, they flow\n" * 3
END = "<|end|>"


@pytest.fixture(autouse=True)
def tok(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tokenizer:
    """A tokenizer in the working directory, with the text that it was trained on."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(TEXT)
    made = BpeTrainer(num_merges=20, special_tokens=[END]).train("a.txt")
    made.save("tok.json")
    subword.count_pieces("a.txt").save("a.counts")
    return made


def output(*args: str, stdin: str | None = None) -> str:
    result = CliRunner().invoke(main, args, input=stdin)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


#: Every command that prints facts, and some keys of its JSON.
FACTS = {
    "info": (["tok.json"], {"kind", "pattern", "vocab_size", "special_tokens", "fingerprint"}),
    "vocab": (["tok.json"], {"id", "text", "bytes", "special"}),
    "tokens": (["tok.json", "low"], {"count", "ids", "tokens"}),
    "explain": (["tok.json", "low"], {"piece", "text", "tokens", "steps", "ids"}),
    "count": (["tok.json", "a.txt"], {"files", "total"}),
    "count-pieces": (["a.txt", "-o", "x.counts"], {"pieces", "different", "out", "seconds"}),
    "merge-counts": (["a.counts", "-o", "x.counts"], {"pieces", "different", "out"}),
    "train": (["a.txt", "--num-merges", "9", "-o", "x.json"], {"vocab_size", "merges", "stop"}),
    "train-wordpiece": (
        ["a.txt", "--vocab-size", "45", "-o", "x.json", "--min-count", "1"],
        {"vocab_size", "out"},
    ),
    "train-unigram": (["a.txt", "--vocab-size", "20", "-o", "x.json"], {"vocab_size", "out"}),
    "prune": (["tok.json", "a.txt", "-o", "x.json"], {"vocab_size", "vocab_size_before"}),
    "convert": (["tok.json", "x.json"], {"format", "out", "bytes"}),
    "evaluate": (["tok.json", "a.txt"], {"rows"}),
    "compare": (["a.txt", "--num-merges", "3", "--trainer", "naive"], {"merges", "trainers"}),
    "encode-corpus": (["tok.json", "a.txt", "-o", "x.bin"], {"event", "tokens", "was_complete"}),
}

#: Commands whose output is ids, text or a page.
NO_FACTS = {"encode", "decode", "explore"}


def test_every_command_prints_facts_or_something_else() -> None:
    assert {*FACTS} | NO_FACTS == {*main.commands}


@pytest.mark.parametrize("command", FACTS)
def test_every_command_that_prints_facts_prints_json(command: str) -> None:
    arguments, keys = FACTS[command]
    printed = output(command, *arguments, "--json")
    first = json.loads(printed if command == "evaluate" else printed.splitlines()[0])
    assert keys <= {*first}


def test_json_has_what_people_read(tok: Tokenizer) -> None:
    told = json.loads(output("info", "tok.json", "--json"))
    assert told["vocab_size"] == tok.vocab_size
    assert told["special_tokens"] == tok.special_tokens
    assert (told["merges"], told["fingerprint"]) == (20, tok.fingerprint)


def test_large_numbers_have_separators() -> None:
    vocab = {i: bytes([i]) for i in range(256)} | {i: b"%d" % i for i in range(1000, 3000)}
    Tokenizer(vocab, [], [END]).save("large.json")
    Path("long.txt").write_text("x" * 12_345)
    lines = output("info", "large.json").splitlines()
    assert "vocabulary      2,257 tokens, ids up to 3,000" in lines
    assert output("count", "large.json", "long.txt").splitlines()[1].split()[:2] == ["12,345"] * 2
    assert "2,257 tokens" in output("convert", "large.json", "x.json")


# vocab


def test_vocab_lists_every_token(tok: Tokenizer) -> None:
    lines = output("vocab", "tok.json").splitlines()
    assert [int(line.split("\t")[0]) for line in lines] == sorted(tok.vocab)
    assert lines[32] == "32\t␣"
    assert lines[tok.token_id("low")] == f"{tok.token_id('low')}\tlow"
    assert lines[-1] == f"{tok.special_tokens[END]}\t{END}\tspecial"
    tokens = [json.loads(line) for line in output("vocab", "tok.json", "--json").splitlines()]
    assert {one["id"]: bytes.fromhex(one["bytes"]) for one in tokens} == tok.vocab
    assert [one["id"] for one in tokens if one["special"]] == [*tok.special_tokens.values()]


def test_vocab_cannot_command_the_terminal() -> None:
    Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<\x1b]0;pwned\x07>"]).save("bad.json")
    assert output("vocab", "bad.json").replace("\n", "").replace("\t", "").isprintable()


# tokens


def test_tokens_stand_in_brackets_where_there_are_no_colours(tok: Tokenizer) -> None:
    text, ids, count = output("tokens", "tok.json", "the lowé").splitlines()
    assert text == "[the][ ][low][é]"
    assert [int(id) for id in ids.split()] == tok.encode("the lowé")
    assert count == f"{len(tok.encode('the lowé'))} tokens"


def test_tokens_have_colours_on_a_terminal(tok: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subword._cli.painting.has_colours", lambda: True)
    shown = CliRunner().invoke(main, ["tokens", "tok.json", "thelow"], color=True).stdout
    assert shown.splitlines()[0] == "\x1b[30;43mthe\x1b[0m\x1b[30;46mlow\x1b[0m"
    hostile = coloured(spans(tok, "\x1b[2Jlow"))
    assert "\x1b[2J" not in hostile
    assert r"\x1b" in hostile


def test_the_spans_of_a_text_are_the_text_and_its_ids(tok: Tokenizer) -> None:
    bert = Tokenizer.wordpiece(["[UNK]", "low", "##er", "é", ","])
    for one, text in [(tok, f"the lowé\n{END}😀 flow "), (bert, "  Lower, LÖW  é x "), (tok, "")]:
        found = [*spans(one, text, special="encode")]
        assert "".join(span.text for span in found) == text
        assert [id for span in found for id in span.ids] == one.encode(text, special="encode")
        places = [
            len("".join(span.text for span in found[:at]).encode()) for at in range(len(found))
        ]
        assert [span.start for span in found] == places


# Notebooks


def test_a_notebook_shows_the_tokens_of_an_explanation(tok: Tokenizer) -> None:
    shown = explain(tok, "low")._repr_html_()
    assert f'title="id {tok.token_id("low")}">low</span>' in shown
    assert "<pre>low\n" in shown
    text = explain_text(tok, "low<b>")
    assert text == [*text]
    html = text._repr_html_()
    assert html.count("<span") == len(tok.encode("low<b>"))
    assert "<b>" not in html
    assert "&lt;" in html


def test_a_notebook_shows_what_token_files_hold(tok: Tokenizer) -> None:
    subword.encode_files(tok, "a.txt", "<b>.npy")
    shown = open_tokens("<b>.npy")._repr_html_()
    assert f"<td>{tok.count(TEXT):,}</td>" in shown
    assert "&lt;b&gt;.npy" in shown


# The explorer


def test_a_port_that_is_taken_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("uvicorn")
    monkeypatch.setattr("webbrowser.open", lambda _: None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        arguments: list[Any] = ["explore", "tok.json", "--port", port, "--no-browser"]
        done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, done.stderr) == (
        1,
        f"error: --port {port}: another program uses this port\n"
        "  hint: leave --port out for one that is free\n",
    )


def test_completion_is_there_for_every_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    for shell in ("bash", "zsh", "fish"):
        done = CliRunner(env={"_SUBWORD_COMPLETE": f"{shell}_source"}).invoke(
            main, [], prog_name="subword"
        )
        assert "_SUBWORD_COMPLETE" in done.stdout
    monkeypatch.setattr(sys, "argv", ["subword"])
    words = {"_SUBWORD_COMPLETE": "bash_complete", "COMP_WORDS": "subword count", "COMP_CWORD": "1"}
    done = CliRunner(env=words).invoke(main, [], prog_name="subword")
    assert done.stdout.splitlines() == ["plain,count", "plain,count-pieces"]
