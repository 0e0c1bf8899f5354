"""Names: how many a tokenizer has, what the old ones say, and that public ones are documented."""

from __future__ import annotations

import doctest
import inspect
import types
from pathlib import Path
from typing import Any

import pytest
import subword
from subword import BpeTrainer, Counts, Decoder, Tokenizer, UnigramTrainer, WordPieceTrainer
from subword._deprecated import OldNames
from subword.integrations import cs336

MOST_NAMES = 30


def public(owner: object) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


def test_a_tokenizer_has_few_names() -> None:
    names = public(Tokenizer) - public(OldNames)
    assert len(names) <= MOST_NAMES, sorted(names)


def test_completion_offers_no_old_names() -> None:
    offered = {*dir(BpeTrainer(num_merges=1).train_iter(["low"]))}
    assert {"encode", "from_ranks", "special_tokens"} < offered
    assert offered.isdisjoint(name for name in vars(OldNames) if not name.startswith("_"))


def test_the_hint_about_patterns_names_them_all() -> None:
    hint = subword.PatternError.hint
    names, _, _ = hint.removeprefix("the names are ").partition(";")
    assert {*names.replace(" and ", ", ").split(", ")} == {*subword.patterns}


# old names


@pytest.fixture
def tok() -> Tokenizer:
    return BpeTrainer(num_merges=2, special_tokens=["<s>"]).train_iter(["low low lower"])


@pytest.mark.parametrize("name", sorted(public(OldNames)))
def test_an_old_name_says_what_replaces_it(tok: Tokenizer, name: str, tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("low")
    tok.save(tmp_path / "files", format="gpt2")
    files = [tmp_path / "files" / part for part in ("vocab.json", "merges.txt")]
    arguments: dict[str, tuple[Any, ...]] = {
        "encode_files": (path, tmp_path / "ids.bin"),
        "encode_inputs": (["low"],),
        "encode_iterable": (["low"],),
        "explain": ("low",),
        "explain_text": ("low",),
        "find_token": (b"low",),
        "from_files": (*files, ["<s>"]),
        "pruned": (subword.count_pieces(texts=["low"], special_tokens=["<s>"]),),
        "truncated": (258,),
        "decoder": (),
        "with_special_tokens": (["<t>"],),
        "with_template": (),
    }
    expected: dict[str, Any] = {
        "encode_files": lambda made: made.tokens == 1,
        "encode_inputs": lambda rows: rows["input_ids"].tolist() == [[257]],
        "encode_iterable": lambda ids: list(ids) == [257],
        "explain": lambda one: one == subword.explain(tok, "low"),
        "explain_text": lambda found: found == subword.explain_text(tok, "low"),
        "find_token": lambda id: id == 257,
        "from_files": lambda found: found == tok,
        "pruned": lambda found: found[0].vocab_size == 259,
        "truncated": lambda less: less == subword.truncate(tok, 258),
        "decoder": lambda decoder: isinstance(decoder, Decoder),
        "training_log": lambda log: log is subword.training_log(tok),
        "cache_bytes": lambda size: size == 1 << 26,
        "with_special_tokens": lambda more: more == subword.with_special_tokens(tok, ["<t>"]),
        "with_template": lambda other: other == tok,
        "added_tokens": lambda tokens: tokens == subword.added_tokens(tok),
    }
    with pytest.warns(DeprecationWarning, match=f"Tokenizer.{name} is deprecated") as said:
        found = getattr(tok, name)(*arguments[name]) if name in arguments else getattr(tok, name)
    assert expected[name](found)
    assert said[0].filename == __file__


def test_the_old_function_still_works(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("low low lower")
    with pytest.warns(DeprecationWarning, match=r"subword.train_bpe is deprecated"):
        train_bpe: Any = subword.train_bpe
    assert train_bpe is cs336.train_bpe
    assert train_bpe(tmp_path / "corpus.txt", 257)[1] == [(b"o", b"w")]
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        subword.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("encoder", "argument"),
    [
        ("merges", {"longest_match": False}),
        ("longest", {"longest_match": True}),
        ("fast", {"linear_time": False}),
    ],
)
def test_the_old_encoder_is_two_arguments(
    tok: Tokenizer, encoder: Any, argument: dict[str, Any], tmp_path: Path
) -> None:
    tok.save(tmp_path / "tok.json")
    with pytest.warns(DeprecationWarning, match=f"pass {next(iter(argument))}=") as said:
        old = Tokenizer.load(tmp_path / "tok.json", encoder=encoder)
    assert old == Tokenizer.load(tmp_path / "tok.json", **argument)
    assert said[0].filename == __file__


def test_the_two_arguments_do_what_they_say() -> None:
    vocab = {i: bytes([i]) for i in range(256)} | {256: b"ab", 257: b"bcd"}
    with pytest.warns(DeprecationWarning, match="longest_match=True"):
        assert Tokenizer(vocab, [], encoder="longest") == Tokenizer(vocab, [], longest_match=True)
    words = ["[UNK]", "low", "##er"]
    with pytest.warns(DeprecationWarning, match="linear_time=True"):
        old = Tokenizer.wordpiece(words, encoder="linear")
    linear = Tokenizer.wordpiece(words, linear_time=True)
    assert old == linear == Tokenizer.wordpiece(words)
    assert old._linear
    assert linear._linear


# CS336


def test_the_tokenizer_of_cs336_has_its_names(tok: Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path, format="gpt2")
    found = cs336.Tokenizer.from_files(tmp_path / "vocab.json", tmp_path / "merges.txt", ["<s>"])
    assert isinstance(found, cs336.Tokenizer)
    assert found == tok
    assert found.encode("low<s>") == [*tok.encode("low"), 258]
    assert list(found.encode_iterable(["low<", "s>"])) == found.encode("low<s>")
    assert found.encode("<s>", special="text") == tok.encode("<s>")


# documentation


def documented() -> dict[str, Any]:
    """Everything public that is called, by name."""
    found: dict[str, Any] = {
        name: value
        for name, value in vars(subword).items()
        if name in subword.__all__ and isinstance(value, types.FunctionType)
    }
    for owner in (Tokenizer, Counts, Decoder, BpeTrainer, UnigramTrainer, WordPieceTrainer):
        found[owner.__name__] = owner
        for name in public(owner) - public(OldNames):
            value = inspect.getattr_static(owner, name)
            if not isinstance(value, (property, types.GetSetDescriptorType)):
                found[f"{owner.__name__}.{name}"] = getattr(owner, name)
    return found


@pytest.mark.parametrize("name", sorted(documented()))
def test_what_is_public_says_what_it_takes_and_shows_an_example(name: str) -> None:
    doc = inspect.getdoc(documented()[name]) or ""
    value = documented()[name]
    assert "Example:" in doc, name
    if callable(value) and not isinstance(value, type):
        takes = [one for one in inspect.signature(value).parameters if one != "self"]
        inherited = "The arguments" in doc
        assert inherited or all(f"{one}:" in doc for one in takes), name
        assert "Returns:" in doc or value.__name__ in ("save", "prune", "to_parquet"), name


@pytest.mark.parametrize("name", sorted(documented()))
def test_the_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    doc = inspect.getdoc(documented()[name]) or ""
    example = doctest.DocTestParser().get_doctest(doc, {}, name, None, None)
    assert example.examples
    failed, _ = doctest.DocTestRunner(verbose=False).run(example)
    assert failed == 0
