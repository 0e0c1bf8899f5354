"""Training on real text: the reference merges of CS336, and beside the real trainers of others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import subword
import tokenizers
from subword import BpeTrainer
from subword.integrations.cs336 import train_bpe

from tests.support.published import ENDOFTEXT, file
from tests.support.small import ALPHABET

BYTE_OF = {character: byte for byte, character in enumerate(ALPHABET)}

#: The bytes in the order in which Hugging Face numbers them.
HUGGINGFACE_ORDER = [bytes([byte]) for byte in sorted(range(256), key=ALPHABET.__getitem__)]

Merges = list[tuple[bytes, bytes]]


def spelled(token: str) -> bytes:
    return bytes(BYTE_OF[character] for character in token)


def lines(path: Path) -> list[bytes]:
    """The texts that Hugging Face makes of a file."""
    return path.read_bytes().splitlines(keepends=True)


def huggingface(path: Path, vocab_size: int) -> Merges:
    """What the real trainer learns."""
    byte_level = tokenizers.pre_tokenizers.ByteLevel
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = byte_level(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=byte_level.alphabet(), show_progress=False
    )
    tokenizer.train([str(path)], trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(spelled(left), spelled(right)) for left, right in merges]


def head(name: str, size: int, folder: Path) -> Path:
    """The first lines of a corpus as a file."""
    content = file(f"corpora/{name}").read_bytes()
    path = folder / "corpus.txt"
    path.write_bytes(content[: content.rfind(b"\n", 0, size) + 1])
    return path


# CS336


@pytest.fixture(scope="module")
def reference_merges() -> Merges:
    text = file("corpora/cs336/train-bpe-reference-merges.txt").read_text(encoding="utf-8")
    return [tuple(map(spelled, line.split(" "))) for line in text.splitlines()]  # type: ignore[misc]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_reference_merges_come_out(reference_merges: Merges, threads: int) -> None:
    trainer = BpeTrainer(vocab_size=500, special_tokens=[ENDOFTEXT], threads=threads)
    tok = trainer.train(file("corpora/cs336/corpus.en"))
    assert tok.merges == reference_merges
    assert tok.vocab_size == 500


def test_the_form_of_the_assignment_gives_its_vocabulary(reference_merges: Merges) -> None:
    path = file("corpora/cs336/corpus.en")
    vocab, merges = train_bpe(path, 500, [ENDOFTEXT])
    assert merges == reference_merges
    wanted = json.loads(file("corpora/cs336/train-bpe-reference-vocab.json").read_text("utf-8"))
    tokens = {ENDOFTEXT.encode() if token == ENDOFTEXT else spelled(token) for token in wanted}
    assert set(vocab.values()) == tokens
    assert set(vocab) == set(range(500))
    assert subword.Tokenizer(vocab, merges, [ENDOFTEXT]).encode("the of")


def test_special_tokens_are_cut_out_before_anything_is_counted() -> None:
    path = file("corpora/cs336/tinystories_sample.txt")
    vocab, _ = train_bpe(path, 800, [ENDOFTEXT])
    ordinary = [token for token in vocab.values() if token != ENDOFTEXT.encode()]
    assert not any(b"<|" in token for token in ordinary)


# Hugging Face

SMALL = [("en_10mb.txt", 300_000), ("zh_10mb.txt", 150_000), ("code_clean_10mb.txt", 300_000)]
SMALL += [("multi_clean_10mb.txt", 200_000), ("tinystories_2.4mb.txt", 300_000)]

#: The corpora of the benchmark, whole.
LARGE = [("en_10mb.txt", 32_000), ("enwiki_50mb.txt", 32_000), ("code_clean_10mb.txt", 32_000)]
LARGE += [("zh_10mb.txt", 32_000), ("tinystories_2.4mb.txt", 10_000)]


def as_huggingface(path: Path, vocab_size: int) -> Merges:
    trainer = BpeTrainer(
        vocab_size=vocab_size, ties="smallest-ids", initial_vocab=HUGGINGFACE_ORDER
    )
    return trainer.train_iter(lines(path)).merges


@pytest.mark.parametrize(("name", "size"), SMALL)
def test_huggingface_learns_the_same_from_a_part(name: str, size: int, tmp_path: Path) -> None:
    path = head(name, size, tmp_path)
    assert as_huggingface(path, 3000) == huggingface(path, 3000)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::subword.TrainingWarning")  # other texts may be small
@pytest.mark.parametrize(("name", "vocab_size"), LARGE)
def test_huggingface_learns_the_same_from_the_whole(name: str, vocab_size: int) -> None:
    path = file(f"corpora/{name}")
    assert as_huggingface(path, vocab_size) == huggingface(path, vocab_size)


# gigatoken

RULES: list[tuple[str, str | list[bytes]]] = [
    ("huggingface", HUGGINGFACE_ORDER),
    ("raw_token_ids", "bytes"),
]


@pytest.mark.parametrize(("name", "size"), [("en_10mb.txt", 300_000), ("zh_10mb.txt", 100_000)])
@pytest.mark.parametrize(("rule", "initial_vocab"), RULES, ids=[rule for rule, _ in RULES])
def test_gigatoken_learns_the_same_by_the_rules_that_it_shares(
    name: str, size: int, rule: str, initial_vocab: list[bytes], tmp_path: Path
) -> None:
    gigatoken = pytest.importorskip("gigatoken")
    path = head(name, size, tmp_path)
    _, merges = gigatoken.train_bpe(path, 2256, [], tie_breaking=rule)
    trainer = BpeTrainer(num_merges=2000, ties="smallest-ids", initial_vocab=initial_vocab)
    assert trainer.train(path).merges == [(bytes(left), bytes(right)) for left, right in merges]


# Ways to read one corpus


def gathered(path: Path) -> list[Callable[[BpeTrainer], subword.Tokenizer]]:
    """Ways to train on the same texts."""
    texts = path.read_bytes().splitlines(keepends=True)
    counts = subword.count_pieces(texts=texts, pattern="gpt2", special_tokens=[])
    return [
        lambda trainer: trainer.train_iter(texts),
        lambda trainer: trainer.train_iter(text.decode() for text in reversed(texts)),
        lambda trainer: trainer.train_counts(counts),
    ]


def test_the_way_to_the_counts_does_not_matter() -> None:
    trainer = BpeTrainer(num_merges=200)
    ways = gathered(file("corpora/cs336/corpus.en"))
    first, *others = (way(trainer) for way in ways)
    assert all(other == first for other in others)
    assert len(first.merges) == 200
