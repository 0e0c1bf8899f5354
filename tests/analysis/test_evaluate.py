"""`subword.evaluate`: by hand, beside the plain definitions, and beside tiktoken's own counts."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import BpeTrainer, CorpusError, Counts, TextError, Tokenizer, evaluate, explain_text
from subword._evaluate import counting
from subword._evaluate.measures import Measures
from subword._evaluate.report import Evaluation

from tests.support.bert import SMALL
from tests.support.published import (
    ENDOFTEXT,
    corpus,
    huggingface_pair,
    recorded,
    tiktoken_pair,
)
from tests.support.small import MAKERS, SAMPLE, tokenizer_named
from tests.support.strategies import texts

BYTES = {i: bytes([i]) for i in range(256)}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def measured(tok: Tokenizer, text: str) -> Measures:
    Path("text.txt").write_bytes(text.encode())
    return evaluate(tok, "text.txt", progress=False).rows[0]


def low() -> Tokenizer:
    """Bytes, and the merges of ``low``, `` low``, ``er``."""
    vocab = BYTES | dict(enumerate([b"lo", b"low", b" low", b"er"], 256))
    merges = [(b"l", b"o"), (b"lo", b"w"), (b" ", b"low"), (b"e", b"r")]
    return Tokenizer(vocab, merges, [ENDOFTEXT])


# By hand


def test_the_numbers_are_those_that_one_finds_by_hand() -> None:
    # "low", " low", "er", " ", "s", "low", " low", " low", ".": 9 tokens, 23 bytes
    row = measured(low(), "low lower slow low low.")
    assert (row.bytes, row.tokens, row.bytes_per_token) == (23, 9, 23 / 9)
    # Each after a space: " low", " low er", "[space] s low", " low", " low ."
    assert (row.words, row.word_tokens, row.fertility) == (5, 1 + 2 + 2 + 1 + 2, 8 / 5)
    assert (row.whole_words, row.whole) == (2, 2 / 5)
    # Comes out: low 2, " low" 3, er, space, s, "." once each.
    shares = [2 / 9, 3 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9]
    entropy = math.log(sum(share**2.5 for share in shares)) / -1.5
    assert row.renyi_efficiency == pytest.approx(entropy / math.log(260))
    assert row.unused == 260 - 6
    # "lo" is made five times and never comes out; "low" is, and twice it does.
    assert (row.residue, row.unknown, row.vocab_size) == (1, 0, 261)


def test_special_tokens_are_cut_out_and_no_part_of_the_vocabulary() -> None:
    row = measured(low(), f"low{ENDOFTEXT}low low{ENDOFTEXT}")
    assert (row.bytes, row.words, row.tokens, row.unused) == (10, 3, 3, 258)
    assert measured(low(), ENDOFTEXT).as_dict()["bytes_per_token"] is None


def test_an_end_of_word_mark_is_no_token_of_its_own_and_unknown_words_are_not_whole() -> None:
    vocab = dict(enumerate([b"l", b"o", b"w", b"</w>", b"lo", b"low", b"low</w>"]))
    words = Tokenizer(
        vocab,
        [(b"l", b"o"), (b"lo", b"w"), (b"low", b"</w>")],
        ["<unk>"],
        pattern="whitespace",
        units="chars",
        end_of_word="</w>",
        unk_token="<unk>",
    )
    row = measured(words, "low  low lo\n é")
    assert (row.bytes, row.words, row.tokens) == (15, 4, 1 + 1 + 2 + 2)
    assert (row.word_tokens, row.whole_words, row.unknown) == (6, 2, 1)
    assert (row.unused, row.residue) == (4, 1)


def test_wordpiece_has_no_residue_and_says_what_it_does_not_know() -> None:
    tok = Tokenizer.wordpiece(SMALL)
    row = measured(tok, "Lower, löw xyz slowest")
    assert (row.bytes, row.words, row.tokens) == (23, 4, 3 + 1 + 1 + 2)
    assert (row.word_tokens, row.whole_words, row.unknown, row.residue) == (7, 1, 1, None)
    assert row.unused == len(SMALL) - 4 - 6  # four that no text gives; low ##er , [UNK] slow ##est


def test_white_space_is_that_of_unicode() -> None:
    row = measured(low(), "a\u3000b\xa0c\x1fd\n\n e")
    assert (row.words, row.bytes) == (4, 14)


# Several at once


def test_texts_are_measured_one_by_one_and_together() -> None:
    for name, text in {"a/x.txt": "low lower", "b/x.txt": "new", "b/y.txt": "low"}.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    found = evaluate({"low": low(), "bytes": Tokenizer(BYTES, [])}, {"a": "a/*.txt", "b": "b/*"})
    assert (found.texts, found.tokenizers) == (["a", "b", "all"], ["low", "bytes"])
    tokens = {(row.tokenizer, row.text): row.tokens for row in found.rows}
    assert tokens == {
        **{("low", "a"): 3, ("low", "b"): 4, ("low", "all"): 7},
        **{("bytes", "a"): 9, ("bytes", "b"): 6, ("bytes", "all"): 15},
    }
    whole, parts = found.rows[4], found.rows[0:4:2]
    assert [whole.bytes, whole.words] == [15, 4]
    assert whole.whole_words == sum(part.whole_words for part in parts)
    assert whole.unused == 260 - len({"low", " low", "er", "n", "e", "w"})
    assert evaluate(low(), ["a/x.txt", "b/x.txt"]).texts == ["a/x.txt", "b/x.txt", "all"]
    assert evaluate(low(), "b/*.txt").texts == ["x.txt", "y.txt", "all"]


def test_every_kind_of_file_is_read() -> None:
    Path("text.jsonl").write_text('{"body": "low lower"}\n{"body": "low"}\n')
    found = evaluate(low(), "text.jsonl", field="body").rows[0]
    assert (found.bytes, found.words, found.tokens) == (12, 3, 4)
    Path("bad.txt").write_bytes(b"low \xff")
    with pytest.raises(TextError):
        evaluate(low(), "bad.txt")
    assert evaluate(low(), "bad.txt", errors="replace").rows[0].bytes == 4 + len("\ufffd".encode())
    with pytest.raises(CorpusError):
        evaluate(low(), "text.jsonl")


def many() -> Counts:
    """Enough to learn many tokens from."""
    return Counts({f"{n:b}".replace("0", "o").replace("1", "l").encode(): 9 for n in range(9999)})


def test_sizes_are_those_of_shorter_trainings() -> None:
    Path("text.txt").write_text(SAMPLE * 3)
    tok = BpeTrainer(vocab_size=400, special_tokens=[ENDOFTEXT]).train("text.txt")
    found = evaluate(tok, "text.txt", sizes=[300, 257, 300, 350])
    assert [row.vocab_size for row in found.rows] == [257, 300, 350]
    for row in found.rows:
        shorter = BpeTrainer(vocab_size=row.vocab_size, special_tokens=[ENDOFTEXT])
        again = evaluate({"tokenizer": shorter.train("text.txt")}, "text.txt")
        assert again.rows == [row]
    tok = BpeTrainer(vocab_size=1030, min_count=1).train_counts(many())
    powers = [row.vocab_size for row in evaluate(tok, "text.txt", sizes="auto").rows]
    assert powers == [256, 512, 1024, 1030]
    assert found.rows[0].bytes_per_token == 1.0


def test_wrong_arguments_are_refused() -> None:
    Path("text.txt").write_text("low")
    with pytest.raises(TypeError, match="tokenizers must be one, or a mapping, not a list"):
        evaluate([low()], "text.txt")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sizes must be at least one number"):
        evaluate(low(), "text.txt", sizes=[])
    with pytest.raises(ValueError, match="sizes must be numbers or \"auto\", not 'all'"):
        evaluate(low(), "text.txt", sizes="all")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="vocab_size=9 is too small"):
        evaluate(low(), "text.txt", sizes=[9])
    with pytest.raises(ValueError, match="'all' is the name of all texts together"):
        evaluate(low(), {"all": "text.txt", "other": "text.txt"})
    with pytest.raises(FileNotFoundError):
        evaluate(low(), "none.txt")


# What it shows


def test_the_table_has_a_block_for_every_text() -> None:
    Path("a.txt").write_text("low lower")
    Path("b.txt").write_text("")
    assert str(evaluate(low(), ["a.txt", "b.txt"])).splitlines() == [
        "tokenizer  size  bytes  tokens  bytes/token  tokens/word  whole  Rényi  unused  residue",
        "",
        "a.txt",
        "tokenizer   261      9       3        3.000        1.500  50.0%  0.198     257        1",
        "",
        "b.txt",
        "tokenizer   261      0       0            -            -      -      -     260        0",
        "",
        "all",
        "tokenizer   261      9       3        3.000        1.500  50.0%  0.198     257        1",
    ]
    Path("b.txt").write_text("xyz")
    found = str(evaluate(Tokenizer.wordpiece(SMALL), ["a.txt", "b.txt"])).splitlines()
    assert [line.split()[-2:] for line in (found[0], found[3], found[6])] == [
        ["residue", "unknown"],
        ["-", "0"],
        ["-", "1"],
    ]


def test_the_numbers_are_json() -> None:
    rows = json.loads(json.dumps(evaluated().as_dict(), allow_nan=False))["rows"]
    assert rows[0]["text"] == "text.txt"
    assert rows[0].keys() == {
        *["tokenizer", "text", "vocab_size", "bytes", "words", "tokens", "unknown", "word_tokens"],
        *["whole_words", "renyi_efficiency", "unused", "residue", "bytes_per_token", "fertility"],
        *["whole", "fewest", "over_fewest"],
    }


def evaluated(sizes: list[int] | None = None) -> Evaluation:
    Path("text.txt").write_text(SAMPLE)
    return evaluate({"one": low(), "two": tokenizer_named("merges")}, "text.txt", sizes=sizes)


@pytest.mark.parametrize("sizes", [None, [257, 259, 260]])
def test_a_picture_of_the_same_numbers_is_the_same_file(sizes: list[int] | None) -> None:
    found = evaluated(sizes=sizes)
    for name in ("one.svg", "two.svg"):
        found.plot("same.svg")
        Path("same.svg").rename(name)
    assert Path("one.svg").read_bytes() == Path("two.svg").read_bytes()
    shown = Path("one.svg").read_text(encoding="utf-8")
    assert "bytes per token" in shown
    assert ">one<" in shown
    assert ("tokens in the vocabulary" in shown) == (sizes is not None)
    found.plot("picture.png")
    with pytest.raises(ValueError, match=r"picture.gif: expected a file that ends in .png or .svg"):
        found.plot("picture.gif")


# Beside the plain definitions


def control(tok: Tokenizer) -> list[str]:
    """The special tokens that ordinary text never becomes."""
    return [token for token, id in tok.special_tokens.items() if tok.encode(token) != [id]]


def plain(tok: Tokenizer, text: str) -> dict[str, int]:
    """What is counted, by encoding a text without special tokens and looking at every merge."""
    ids = Counter(tok.encode(text))
    out, made = Counter[bytes](), Counter[bytes]()
    for found in explain_text(tok, text):
        if found.how != "special":
            out.update(found.tokens)
            made.update(b"".join(step.pair) for step in found.steps)
    merged = {token: n for token, n in made.items() if out[token] <= n // 100}
    return {
        "bytes": len(text.encode()),
        "tokens": ids.total(),
        "unused": tok.vocab_size - len(control(tok)) - len(ids),
        "residue": len(merged),
    }


@pytest.mark.parametrize("name", MAKERS)
def test_pieces_give_what_the_text_gives(name: str) -> None:
    tok = tokenizer_named(name)
    special = control(tok)
    text = SAMPLE
    for token in special:
        text = text.replace(token, "")
    row = measured(tok, "".join(special) + text).as_dict()
    expected = plain(tok, text)
    assert {key: row[key] for key in expected} == expected


@settings(max_examples=30)
@given(text=texts, merges=st.integers(0, 60))
def test_any_text_gives_what_the_definitions_give(text: str, merges: int) -> None:
    tok = BpeTrainer(num_merges=merges).train_counts(Counts({b"low": 2, SAMPLE.encode(): 1}))
    row = measured(tok, text).as_dict()
    expected = plain(tok, text)
    assert {key: row[key] for key in expected} == expected
    words = text.translate(dict.fromkeys(range(0x1C, 0x20), "x")).split()
    assert row["words"] == len(words)


# Beside tiktoken, and published ids


@pytest.mark.slow
@pytest.mark.parametrize("name", ["r50k", "cl100k"])
@pytest.mark.parametrize("text", ["en_10mb.txt", "zh_10mb.txt", "tinystories_2.4mb.txt"])
def test_bytes_per_token_are_those_of_tiktoken(name: str, text: str) -> None:
    real, ours = tiktoken_pair(name)
    part = corpus(text)[: 1 << 18].decode(errors="ignore")
    row = measured(ours, part)
    ids = [id for one in part.split(ENDOFTEXT) for id in real.encode_ordinary(one)]
    assert (row.tokens, row.bytes) == (len(ids), len(part.replace(ENDOFTEXT, "").encode()))
    assert row.unused == ours.vocab_size - len(ours.special_tokens) - len({*ids})


@pytest.mark.parametrize("text", ["small", "mixed", "utf8"])
@pytest.mark.parametrize("name", ["gpt2", "cl100k"])
def test_tokens_are_as_many_as_in_published_ids(name: str, text: str) -> None:
    pair = huggingface_pair if name == "gpt2" else tiktoken_pair
    tok = pair(name)[1]
    facts = list(recorded(text, name))
    with Path("lines.jsonl").open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"text": line}) + "\n" for line, _ in facts)
    row = evaluate(tok, "lines.jsonl").rows[0]
    special = {*tok.special_tokens.values()}
    assert row.tokens == sum(id not in special for _, ids in facts for id in ids)
    assert row.bytes == sum(len(line.replace(ENDOFTEXT, "").encode()) for line, _ in facts)


def test_words_are_worked_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    toks = [low(), tokenizer_named("nfc, spaces")]  # the second encodes the text itself
    whole = [measured(tok, SAMPLE) for tok in toks]
    monkeypatch.setattr(counting, "BATCH", 7)
    assert [measured(tok, SAMPLE) for tok in toks] == whole
    monkeypatch.setattr(counting, "BATCH_BYTES", 1)
    assert [measured(tok, SAMPLE) for tok in toks] == whole
