"""A tokenizer as an object: it compares and hashes by content, pickles, copies, saves and loads."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from subword import ModelFormatError, ModelFormatWarning, Tokenizer

from tests.support.repository import ROOT
from tests.support.small import (
    MAKERS,
    MERGES,
    NORMALISED,
    RANKS,
    SPECIAL,
    TWICE,
    VOCAB,
    large_text,
    tokenizer_named,
)


@pytest.fixture(scope="module", params=list(MAKERS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def tok(name: str) -> Tokenizer:
    return tokenizer_named(name)


def same_ids(tok: Tokenizer, other: Tokenizer) -> bool:
    text = large_text()[:20_000]
    return tok.encode(text) == other.encode(text) and tok.encode(
        text, special="encode", add_special_tokens=True
    ) == other.encode(text, special="encode", add_special_tokens=True)


# pickling and copying


@pytest.mark.parametrize("protocol", [2, 5])
def test_pickling_keeps_everything(tok: Tokenizer, protocol: int) -> None:
    data = pickle.dumps(tok, protocol)
    again = pickle.loads(data)
    assert type(again) is Tokenizer
    assert again == tok
    assert (again._cache_bytes, again.pattern, again.kind) == (
        tok._cache_bytes,
        tok.pattern,
        tok.kind,
    )
    assert same_ids(tok, again)
    assert pickle.dumps(again, protocol) == data


def test_a_pickle_keeps_the_size_of_the_cache() -> None:
    tok = Tokenizer(VOCAB, MERGES, cache_bytes=12345)
    assert pickle.loads(pickle.dumps(tok))._cache_bytes == 12345


def test_a_subclass_pickles_as_itself() -> None:
    tok = Special.from_ranks(RANKS, pattern="gpt2")
    again = pickle.loads(pickle.dumps(tok))
    assert (type(tok), type(again), again == tok) == (Special, Special, True)
    assert again.encode_loudly("low") == tok.encode("LOW")


class Special(Tokenizer):
    def encode_loudly(self, text: str) -> list[int]:
        return self.encode(text.upper())


def test_pickles_and_hashes_do_not_depend_on_the_process() -> None:
    """Neither on the order of sets and dictionaries nor on where things are in memory."""
    program = (
        "import hashlib, pickle, sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.support import small\n"
        "for name in small.MAKERS:\n"
        "    tok = small.tokenizer_named(name)\n"
        "    print(hashlib.sha256(pickle.dumps(tok)).hexdigest(), tok.fingerprint)\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program, str(ROOT)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ["1", "2"]
    ]
    assert outputs[0] == outputs[1]
    prints = [line.split()[1] for line in outputs[0].splitlines()]
    assert prints == [tokenizer_named(name).fingerprint for name in MAKERS]


def test_copies_are_equal(tok: Tokenizer) -> None:
    for other in [copy.copy(tok), copy.deepcopy(tok)]:
        assert other == tok
        assert same_ids(tok, other)


# comparing


def test_tokenizers_are_equal_by_content(name: str, tok: Tokenizer) -> None:
    other = MAKERS[name]()
    assert other is not tok
    assert other == tok
    assert hash(other) == hash(tok)
    assert (other.fingerprint, len(other.fingerprint)) == (tok.fingerprint, 64)
    assert {tok: 1}[other] == 1


def test_different_tokenizers_differ() -> None:
    prints = {name: tokenizer_named(name).fingerprint for name in MAKERS}
    assert len(set(prints.values())) == len(MAKERS)
    tok = tokenizer_named("merges")
    assert tok != Tokenizer(VOCAB, MERGES[:-1])
    assert tok != Tokenizer(VOCAB, MERGES, pattern="cl100k")
    assert tok != Tokenizer(VOCAB, MERGES, ["<s>"])
    assert tok != tok.encode("low")
    assert tok.__eq__("low") is NotImplemented


def test_the_size_of_the_cache_is_no_content() -> None:
    assert Tokenizer(VOCAB, MERGES, cache_bytes=0) == Tokenizer(VOCAB, MERGES)


def test_the_order_of_arguments_is_no_content() -> None:
    vocab = dict(sorted(VOCAB.items(), reverse=True))
    special = dict(sorted(SPECIAL.items(), reverse=True))
    assert Tokenizer(vocab, MERGES, special) == Tokenizer(VOCAB, MERGES, SPECIAL)
    ranks = dict(sorted(RANKS.items()))
    tok = Tokenizer.from_ranks(ranks, pattern="gpt2", special_tokens=special)
    assert tok == tokenizer_named("ranks, gpt2")


def test_a_pattern_that_has_a_name_goes_by_it() -> None:
    import subword

    for name, regexes in subword.patterns.items():
        tok = Tokenizer.from_ranks(RANKS, pattern=regexes)
        assert (tok.pattern, tok) == (name, Tokenizer.from_ranks(RANKS, pattern=name))


def test_repr_says_what_it_is() -> None:
    assert repr(tokenizer_named("merges")) == (
        "<Tokenizer: 400 tokens by merges, pattern 'gpt2', special tokens []>"
    )
    assert repr(tokenizer_named("ranks, cl100k")) == (
        "<Tokenizer: 404 tokens by ranks, pattern 'cl100k', special tokens "
        "['<|endoftext|>', '<|endofprompt|>', '<|endo'], and 1 more>"
    )
    assert len(repr(Tokenizer(VOCAB, MERGES, pattern="a|" * 100))) < 150


# what it is made of


def test_the_parts_are_those_that_it_was_made_of() -> None:
    tok = Tokenizer(VOCAB, MERGES, SPECIAL, pattern=["\\d", "gpt2"])
    assert tok.vocab == VOCAB | {id: text.encode() for text, id in SPECIAL.items()}
    assert tok.merges == MERGES
    assert tok.special_tokens == SPECIAL
    assert tok.pattern == ["\\d", "gpt2"]
    assert (tok.vocab_size, tok.max_id, tok.kind) == (404, 510, "merges")
    assert tok.token_bytes(256) == MERGES[0][0] + MERGES[0][1]
    assert tok.token_id(b"low") == RANKS[b"low"]
    assert tok.token_id("low") == RANKS[b"low"]
    assert tok.token_id("<|endoftext|>") == 500


def test_ranks_know_their_merges() -> None:
    assert tokenizer_named("ranks, gpt2").merges == MERGES
    assert tokenizer_named("ranks, gpt2").kind == "ranks"


def test_special_tokens_get_the_next_free_ids() -> None:
    tok = Tokenizer(VOCAB, MERGES, ["<s>", "low", "</s>"])
    assert tok.special_tokens == {"low": RANKS[b"low"], "<s>": 400, "</s>": 401}


def test_changing_what_it_gave_changes_nothing() -> None:
    tok = Tokenizer(VOCAB, MERGES, SPECIAL)
    tok.vocab.clear()
    tok.merges.clear()
    tok.special_tokens.clear()
    assert tok == Tokenizer(VOCAB, MERGES, SPECIAL)


# files


def test_the_native_file_holds_everything(tok: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tok.json"
    tok.save(path)
    assert Tokenizer.load(path) == tok
    assert path.read_bytes() == tok.to_bytes()


def test_a_tokenizer_json_gives_the_same_ids(name: str, tok: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    if name in TWICE:
        with pytest.raises(ModelFormatError, match='two of its tokens are written "low"'):
            tok.save(path)
        return
    tok.save(path)
    again = Tokenizer.load(path)
    assert same_ids(tok, again)
    assert again.special_tokens == tok.special_tokens
    assert (again == tok) == (tok.kind == "merges")


ORDER = "its merges are not the order of its ids, see token"

#: Why some have no ``.tiktoken`` file.
NOT_TIKTOKEN = {
    "merges, other ids": f'{ORDER} 189, b"low"',
    "merges, several for one token": f'{ORDER} 256, b"bc"',
    "merges, whole pieces": f'{ORDER} 402, b"lowlow"',
    "merges, unreachable tokens": f'{ORDER} 402, b"lowlow"',
    "nfc": "it normalises its text",
    "nfkd": "it normalises its text",
    "nfc, spaces": "it normalises its text",
    "template": "it puts special tokens around a text",
}


def test_a_tiktoken_file_gives_the_same_ids(name: str, tok: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tok.tiktoken"
    if name in NOT_TIKTOKEN:
        with pytest.raises(ModelFormatError) as caught:
            tok.save(path)
        reason = f"this tokenizer cannot be saved as .tiktoken: {NOT_TIKTOKEN[name]}"
        assert caught.value.message == reason
        assert not path.exists()
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tok.save(path)
    assert [warning.category for warning in told] == [ModelFormatWarning] * bool(tok.special_tokens)
    again = Tokenizer.load(path, pattern=tok.pattern, special_tokens=tok.special_tokens)
    text = large_text()[:20_000]
    if name != "flags":
        assert again.encode(text) == tok.encode(text)
        assert again.encode(text, special="encode") == tok.encode(text, special="encode")
    if tok.kind == "ranks":
        assert again == tok


def test_vocab_and_merges_give_the_same_ids(name: str, tok: Tokenizer, tmp_path: Path) -> None:
    if tok.pattern != "gpt2" or name in TWICE + NORMALISED:
        with pytest.raises(ModelFormatError, match=r"cannot be saved as vocab\.json and merges"):
            tok.save(tmp_path, format="gpt2")
        assert list(tmp_path.iterdir()) == []
        return
    tok.save(tmp_path, format="gpt2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["merges.txt", "vocab.json"]
    again = Tokenizer.load(tmp_path, special_tokens=tok.special_tokens)
    assert same_ids(tok, again)
    files = Tokenizer.load(
        tmp_path / "vocab.json", merges=tmp_path / "merges.txt", special_tokens=tok.special_tokens
    )
    assert files == again


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="format") as caught:
        tokenizer_named("merges").save(tmp_path / "tok", format="yaml")
    assert str(caught.value) == (
        'format must be one of "native", "tiktoken", "gpt2", "huggingface", "bert", not "yaml"'
    )
