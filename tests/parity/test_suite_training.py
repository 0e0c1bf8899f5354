"""Trainers: the tests of Hugging Face's tokenizers, by our trainers and with what theirs train.

`tests.support.suite` names their tests.
"""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import subword
import tokenizers
from subword import BpeTrainer, Tokenizer, UnigramTrainer, WordPieceTrainer
from tokenizers import models, pre_tokenizers, trainers

from tests.support import chains
from tests.support.small import SAMPLE
from tests.support.suite import case

#: The Zen of Python, by Tim Peters, in part.
ZEN = """The Zen of Python, by Tim Peters
Beautiful is better than ugly.
Explicit is better than implicit.
Simple is better than complex.
Complex is better than complicated.
Flat is better than nested.
Sparse is better than dense.
Readability counts.
Special cases aren't special enough to break the rules.
Although practicality beats purity.
Errors should never pass silently.
Unless explicitly silenced.
In the face of ambiguity, refuse the temptation to guess.
There should be one-- and preferably only one --obvious way to do it.
Although that way may not be obvious at first unless you're Dutch.
Now is better than never.
Although never is often better than *right* now.
If the implementation is hard to explain, it's a bad idea.
If the implementation is easy to explain, it may be a good idea.
Namespaces are one honking great idea -- let's do more of those!""".splitlines()


@case(
    "trainers.BpeTrainer.can_modify",
    "trainers.BpeTrainer.can_pickle",
    "trainers.WordPieceTrainer.can_modify",
    "trainers.WordPieceTrainer.can_pickle",
    "trainers.Unigram.can_modify",
    "trainers.Unigram.can_pickle",
)
@pytest.mark.parametrize(
    ("trainer", "changes"),
    [
        (
            BpeTrainer(300, special_tokens=["1", "2"], min_count=2),
            {"vocab_size": 280, "special_tokens": [], "min_count": 1},
        ),
        (
            WordPieceTrainer(120, min_count=2),
            {"vocab_size": 110, "min_count": 1, "special_tokens": ["[UNK]"]},
        ),
        (
            UnigramTrainer(90, special_tokens=["<unk>", "<s>"]),
            {"vocab_size": 80, "special_tokens": ["<unk>"], "max_piece_length": 4},
        ),
    ],
)
def test_settings_are_kept_changed_and_pickled(trainer: Any, changes: dict[str, Any]) -> None:
    tok = trainer.train_iter(ZEN)
    assert tok.vocab_size == trainer.vocab_size
    again = pickle.loads(pickle.dumps(trainer))
    assert repr(again) == repr(trainer)
    assert again.train_iter(ZEN) == tok
    for name, value in changes.items():
        assert getattr(trainer, name) != value
        setattr(again, name, value)
        assert getattr(again, name) == value
    other = again.train_iter(ZEN)
    assert other.vocab_size == changes["vocab_size"]
    assert list(other.special_tokens) == changes["special_tokens"]


@case("trainers.Unigram.train")
def test_unigram_is_trained_from_a_file_and_saved(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text("\n".join(ZEN * 3), encoding="utf-8")
    tok = UnigramTrainer(100).train(tmp_path / "small.txt")
    tok.save(tmp_path / "tokenizer.json", format="huggingface")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in ZEN:
        assert tok.encode(text, special="encode") == theirs.encode(text).ids


@case("trainers.Unigram.train_with_special_tokens")
def test_unigram_with_special_tokens(tmp_path: Path) -> None:
    texts = [f"[CLS] {line} [SEP]" for line in ZEN]
    path = tmp_path / "zen.txt"
    path.write_text("\n" + "\n".join(texts) + "\n" + " " * 12, encoding="utf-8")
    special = ["[PAD]", "[SEP]", "[CLS]"]
    theirs = tokenizers.Tokenizer(models.Unigram())
    theirs.train(
        [str(path)],
        trainers.UnigramTrainer(show_progress=False, special_tokens=special, unk_token="[UNK]"),
    )
    ours = Tokenizer.load(theirs.to_str().encode())
    names = {id: token for token, id in theirs.get_vocab().items()}
    ids = ours.encode("[CLS] This is a test [SEP]", special="encode")
    expected = ["[CLS]", " T", "h", "i", "s", " is ", "a", " ", "te", "s", "t ", "[SEP]"]
    assert [names[id] for id in ids] == expected
    tok = UnigramTrainer(100, special_tokens=[*special, "[UNK]"], unk_token="[UNK]").train(path)
    assert tok.vocab_size == 100
    ids = tok.encode("[CLS] This is a test [SEP]", special="encode")
    assert [ids[0], ids[-1]] == [tok.special_tokens[token] for token in ("[CLS]", "[SEP]")]


@case("trainers.Unigram.cannot_train_different_model")
def test_a_trainer_goes_on_from_its_own_kind_alone() -> None:
    other = WordPieceTrainer(60).train_iter(ZEN)
    with pytest.raises(subword.SubwordError, match="base"):
        BpeTrainer(num_merges=5, base=other).train_iter(ZEN)


@case("trainers.Unigram.continuing_prefix_trainer_mismatch")
def test_a_prefix_that_the_trainer_did_not_know_is_read(tmp_path: Path) -> None:
    made = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"))
    cuts = [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    made.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    trainer = trainers.BpeTrainer(special_tokens=["[UNK]"], show_progress=False)
    made.train_from_iterator([SAMPLE, *ZEN], trainer)
    made.save(str(tmp_path / "tokenizer.json"))
    ours = Tokenizer.load(tmp_path / "tokenizer.json")
    for text in [SAMPLE, *ZEN]:
        assert chains.differences(ours, made, text) is None


@case(
    "documentation.TrainFromIterators.train_basic",
    "documentation.TrainFromIterators.datasets",
    "documentation.TrainFromIterators.gzip",
)
def test_texts_come_from_lists_batches_and_compressed_files(tmp_path: Path) -> None:
    for number, lines in enumerate((ZEN[:9], ZEN[9:])):
        with gzip.open(tmp_path / f"{number}.gz", "wt", encoding="utf-8") as stream:
            stream.write("\n".join(lines) + "\n")

    def compressed() -> Iterator[str]:
        for number in (0, 1):
            with gzip.open(tmp_path / f"{number}.gz", "rt", encoding="utf-8") as stream:
                yield from (line.removesuffix("\n") for line in stream)

    def batches(size: int = 6) -> Iterator[list[str]]:
        yield from (ZEN[start : start + size] for start in range(0, len(ZEN), size))

    trainer = UnigramTrainer(80, special_tokens=["<unk>", "<PAD>", "<BOS>", "<EOS>"])
    tok = trainer.train_iter(ZEN)
    assert tok.vocab_size == 80
    assert trainer.train_iter(batches()) == trainer.train_iter(compressed()) == tok
