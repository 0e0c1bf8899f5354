"""`explain`: known answers, exact pictures, and the same ids as the engine for every tokenizer."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import (
    BpeTrainer,
    Counts,
    SpecialTokenError,
    TextError,
    Tokenizer,
    explain,
    explain_text,
)
from subword._cli import main
from subword._explain.explainer import MOST_TOKENS
from subword._explain.explanation import Step
from subword._explain.visible import visible

from tests.support import published
from tests.support.small import MAKERS, SAMPLE, tokenizer_named
from tests.support.strategies import texts

MERGES = [(b"l", b"o"), (b"e", b"r"), (b"lo", b"w"), (b" ", b"low"), (b"low", b"er")]
TOKENS = [*(bytes([i]) for i in range(256)), *(left + right for left, right in MERGES)]
END = "<|endoftext|>"


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return Tokenizer(dict(enumerate(TOKENS)), MERGES, [END])


@pytest.fixture(scope="module")
def words() -> Tokenizer:
    """The words of the paper, with an end-of-word mark."""
    counts = Counts({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, pattern="whitespace")
    trainer = BpeTrainer(num_merges=6, initial_vocab="chars", unk_token="<unk>")
    return trainer.train_counts(counts)


def test_a_piece_as_data(tok: Tokenizer) -> None:
    found = explain(tok, "slower")
    assert (found.piece, found.how) == (b"slower", "merged")
    assert found.first == (b"s", b"l", b"o", b"w", b"e", b"r")
    assert found.steps == (
        Step(0, (b"l", b"o"), 1, (b"s", b"lo", b"w", b"e", b"r")),
        Step(1, (b"e", b"r"), 3, (b"s", b"lo", b"w", b"er")),
        Step(2, (b"lo", b"w"), 1, (b"s", b"low", b"er")),
        Step(4, (b"low", b"er"), 1, (b"s", b"lower")),
    )
    assert found.tokens == (b"s", b"lower")
    assert found.ids == (115, 260)


def test_a_piece_as_text(tok: Tokenizer) -> None:
    assert str(explain(tok, b" lower")) == (
        "␣lower\n"
        "  rank  pair   tokens\n"
        "               ␣ l o w e r\n"
        "     0  l+o    ␣ lo w e r\n"
        "     1  e+r    ␣ lo w er\n"
        "     2  lo+w   ␣ low er\n"
        "     3  ␣+low  ␣low er\n"
        "   ids         259 257"
    )


def test_the_token_that_a_merge_makes_is_bright(tok: Tokenizer) -> None:
    lines = explain(tok, "slow").text(colour=True).splitlines()
    assert lines[3] == "     0  l+o   s \x1b[1;32mlo\x1b[0m w"
    assert lines[4] == "     2  lo+w  s \x1b[1;32mlow\x1b[0m"
    assert re.sub("\x1b.*?m", "", "\n".join(lines)) == str(explain(tok, "slow"))


def test_a_piece_as_a_tree(tok: Tokenizer) -> None:
    assert explain(tok, "slower").tree() == (
        "slower\n"
        "├── s  id 115\n"
        "└── lower  rank 4, id 260\n"
        "    ├── low  rank 2\n"
        "    │   ├── lo  rank 0\n"
        "    │   │   ├── l\n"
        "    │   │   └── o\n"
        "    │   └── w\n"
        "    └── er  rank 1\n"
        "        ├── e\n"
        "        └── r"
    )


def test_nodes_hold_what_they_were_merged_from(tok: Tokenizer) -> None:
    first, second = explain(tok, "slow").nodes
    assert (first.token, first.rank, first.parts) == (b"s", None, ())
    assert (second.token, second.rank) == (b"low", 2)
    assert [part.token for part in second.parts] == [b"lo", b"w"]


def test_a_piece_for_json(tok: Tokenizer) -> None:
    assert json.loads(json.dumps(explain(tok, "lo").as_dict())) == {
        "piece": "6c6f",
        "text": "lo",
        "tokens": ["lo"],
        "how": "merged",
        "first": ["6c", "6f"],
        "steps": [{"rank": 0, "pair": ["6c", "6f"], "at": 0, "tokens": ["6c6f"]}],
        "ids": [256],
    }


def test_a_piece_without_merges_has_its_first_tokens(tok: Tokenizer) -> None:
    assert str(explain(tok, "é")) == (
        "é\n  rank  pair  tokens\n              \\xc3 \\xa9\n   ids        195 169"
    )


def test_what_cannot_be_encoded_cannot_be_explained(tok: Tokenizer) -> None:
    with pytest.raises(TextError):
        explain(tok, "\ud800")
    with pytest.raises(TypeError):
        explain(tok, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nope"):
        explain_text(tok, "low", special={"nope"})
    with pytest.raises(SpecialTokenError):
        explain_text(tok, END, special="error")


def test_nothing_is_one_piece_without_tokens(tok: Tokenizer) -> None:
    found = explain(tok, "")
    assert (found.piece, found.tokens, found.ids) == (b"", (), ())


def test_several_pieces_are_an_error_that_names_them(tok: Tokenizer) -> None:
    with pytest.raises(TextError) as caught:
        explain(tok, "é low lower low")
    assert str(caught.value) == (
        "expected one piece, found 4 (é, ␣low, ␣lower, ...): the second starts at position 1\n"
        "  hint: subword.explain_text explains every piece of a text"
    )
    with pytest.raises(TextError) as caught:
        explain(tok, "é low".encode())
    assert caught.value.position == 2


def test_a_piece_that_nobody_can_look_at_is_an_error(tok: Tokenizer) -> None:
    assert len(explain(tok, "a" * MOST_TOKENS).ids) == MOST_TOKENS
    with pytest.raises(TextError) as caught:
        explain_text(tok, "low " + "a" * 3000)
    assert str(caught.value) == (
        "explaining stops at 2000 tokens: a piece starts as 3001 at position 3"
    )


def test_special_tokens_are_special_where_they_are_asked_for(tok: Tokenizer) -> None:
    found = explain_text(tok, f"low{END}lo", special="encode")
    assert [(one.piece, one.how, one.ids) for one in found] == [
        (b"low", "merged", (258,)),
        (END.encode(), "special", (261,)),
        (b"lo", "merged", (256,)),
    ]
    assert str(found[1]) == "<|endoftext|>  is a special token\n   ids        261"
    assert {one.how for one in explain_text(tok, f"low{END}lo")} == {"merged"}


def test_a_whole_piece_may_be_a_token_that_no_merge_makes() -> None:
    found = explain(tokenizer_named("merges, whole pieces"), " world")
    assert (found.how, found.steps, found.ids) == ("whole", (), (401,))
    assert str(found).splitlines()[0] == "␣world  is a token, though no merges make it"


def test_words_end_with_a_mark(words: Tokenizer) -> None:
    assert str(explain(words, "lowest")) == (
        "lowest\n"
        "  rank  pair      tokens\n"
        "                  l o w e s t </w>\n"
        "     0  t+</w>    l o w e s t</w>\n"
        "     1  s+t</w>   l o w e st</w>\n"
        "     2  e+st</w>  l o w est</w>\n"
        "     3  o+w       l ow est</w>\n"
        "     4  l+ow      low est</w>\n"
        f"   ids            {' '.join(map(str, words.encode('lowest')))}"
    )


def test_unknown_characters_and_white_space(words: Tokenizer) -> None:
    found = explain_text(words, "löw  <unk>", special="encode")
    assert [(one.piece, one.how) for one in found] == [
        ("löw".encode(), "merged"),
        (b"  ", "skipped"),
        (b"<unk>", "special"),
    ]
    assert found[0].first == (b"l", b"<unk>", b"w", b"</w>")
    assert str(found[1]) == "␣␣  is white space, which has no tokens: a mark stands for it"


@pytest.mark.parametrize(
    ("token", "shown"),
    [(b" a b", "␣a␣b"), (b"\n\t", r"\n\t"), (b"\xff", r"\xff"), (b"\\xff", r"\\xff")],
)
def test_a_token_is_shown_so_that_it_can_be_told_from_others(token: bytes, shown: str) -> None:
    assert visible(token) == shown


def checked(tok: Tokenizer, text: str | bytes, special: str) -> None:
    """Explain a text, and hold every part of it against the engine."""
    found = explain_text(tok, text, special=special)  # type: ignore[arg-type]
    assert [id for one in found for id in one.ids] == tok.encode(text, special=special)  # type: ignore[arg-type]
    for one in found:
        assert len(one.tokens) == len(one.ids)
        assert [tok.token_bytes(id) for id in one.ids] == list(one.tokens)
        assert [node.token for node in one.nodes] == list(one.tokens)
        for step in one.steps:
            assert step.tokens[step.at] == b"".join(step.pair)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("special", ["text", "encode"])
def test_the_last_step_is_what_the_engine_encodes(name: str, special: str) -> None:
    text = f"{SAMPLE} {END} low<|endoworld <s> 'l' {SAMPLE[::-1]}"
    checked(tokenizer_named(name), text, special)


@given(text=texts, name=st.sampled_from([*MAKERS]))
@settings(max_examples=200)
def test_any_text_ends_as_the_engine_encodes_it(text: str, name: str) -> None:
    checked(tokenizer_named(name), text, "text")


@given(raw=st.binary(max_size=30))
def test_bytes_that_are_no_text_are_explained_too(raw: bytes) -> None:
    checked(tokenizer_named("ranks, cl100k"), raw, "text")


@given(text=st.text("lowestr<>/unk öé  \n\x1c", max_size=30))
def test_any_words_end_as_the_engine_encodes_them(text: str) -> None:
    counts = Counts({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, pattern="whitespace")
    trainer = BpeTrainer(num_merges=9, initial_vocab="chars", unk_token="<unk>")
    checked(trainer.train_counts(counts), text, "encode")


def test_a_published_vocabulary_is_explained() -> None:
    _, tok = published.tiktoken_pair("cl100k")
    checked(tok, SAMPLE, "text")
    assert [step.rank for step in explain(tok, " world").steps] == [269, 289, 509, 1410, 1917]


@pytest.mark.parametrize("name", ["gpt_neox", "qwen2_5", "clip"])
def test_a_published_model_is_explained(name: str) -> None:
    _, tok = published.huggingface_pair(name)
    checked(tok, f"{SAMPLE} ΣΑΣ İstanbul  {END}", "text")
    checked(tok, f"{SAMPLE} ΣΑΣ İstanbul  {END}", "encode")


def test_a_character_that_this_python_cannot_normalise_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, tok = published.huggingface_pair("clip")
    monkeypatch.setattr(unicodedata, "category", lambda character: "Cn"[character != "É" :])
    monkeypatch.setattr(unicodedata, "normalize", lambda form, text: text.replace("É", "?"))
    with pytest.raises(TextError) as caught:
        explain_text(tok, "an ÉCU")
    assert str(caught.value) == (
        "this Python does not know the character U+00C9 at position 3\n"
        "  hint: a newer one can normalise it as the model does"
    )


def test_a_special_token_that_was_composed_takes_its_marks_with_it(tmp_path: Path) -> None:
    tokens = {id: character.encode() for id, character in enumerate("axE")}
    tok = Tokenizer(tokens, [], ["?", "É"], pattern="none", units="chars", unk_token="?")
    native = json.loads(tok.to_bytes()) | {"normalizer": "nfc"}
    native["special_tokens"][1]["normalized"] = True
    (tmp_path / "tok.json").write_text(json.dumps(native), encoding="utf-8")
    tok = Tokenizer.load(tmp_path / "tok.json")
    found = explain_text(tok, "aE\u0301x", special="encode")
    assert [one.ids for one in found] == [(0,), (4,), (1,)]


def test_explaining_leaves_the_tokenizer_as_it_was(tok: Tokenizer) -> None:
    explain(tok, "low")
    assert pickle.loads(pickle.dumps(tok)) == tok


# The command


@pytest.fixture
def folder(tmp_path: Path, tok: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tok.save("tok.json")
    return tmp_path


def output(*args: str, stdin: bytes | None = None) -> str:
    result = CliRunner().invoke(main, ["explain", "tok.json", *args], input=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.usefixtures("folder")
def test_the_command_prints_every_piece(tok: Tokenizer) -> None:
    pieces = [explain(tok, "low"), explain(tok, " lower")]
    assert output("low lower") == f"{pieces[0]}\n\n{pieces[1]}\n"
    assert output("-", stdin=b"low lower") == output("low lower")
    trees = [piece.tree() for piece in pieces]
    assert output("low lower", "--format", "tree") == f"{trees[0]}\n\n{trees[1]}\n"
    lines = output("low lower", "--format", "json").splitlines()
    assert [json.loads(line) for line in lines] == [piece.as_dict() for piece in pieces]


@pytest.mark.usefixtures("folder")
def test_a_terminal_that_cannot_show_a_sign_gets_its_number() -> None:
    program = "from subword._cli import main; main()"
    line = [sys.executable, "-c", program, "explain", "tok.json", " é", "--format", "tree"]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(line, env=environment, capture_output=True, check=True)
    first, *_ = done.stdout.decode("latin-1").splitlines()
    assert first == "\\u2423é"


@pytest.mark.usefixtures("folder")
def test_the_command_knows_special_tokens() -> None:
    assert "is a special token" in output(f"low{END}", "--special", "encode")
    assert "is a special token" not in output(f"low{END}")
    assert "is a special token" not in output(f"low{END}", "--special", "text")
