"""The libraries that train, each behind the same small class.

    trainer.start()                      import the library, which is not timed
    learned = trainer.train(job)         read a file, count its pieces, learn merges: this is timed
    learned()                            the merges in one form for all, which is not

Each trainer takes the fastest way that the library's public names offer, with GPT-2's pattern where
it can be chosen and no special tokens. Those that learn what we learn say by which rule:

    documents   "lines": a piece never crosses the end of a line; "whole": the file is one text
    alphabet    "gpt2": of equal counts the smallest ids merge, bytes in the order of GPT-2's
                alphabet; "bytes": the same, bytes in their own order

A library without a rule learns something else (other pieces, other ties): it is timed beside the
others, and there is nothing to compare.
"""

from __future__ import annotations

import json
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from libraries import OURS, Library

REFERENCE = "tokenizers"

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

#: A merge as its pair, or as the token alone where a library does not tell more.
Merge = tuple[bytes, ...]


@dataclass(frozen=True)
class Rule:
    """What a library's merges can be compared with."""

    documents: Literal["lines", "whole"]
    alphabet: Literal["gpt2", "bytes"]


@dataclass(frozen=True)
class Job:
    """A file, and how many merges to learn from it. ``different`` bytes occur in it."""

    path: Path
    merges: int
    different: int
    threads: int = 1
    rule: Rule = Rule("whole", "gpt2")


@dataclass
class Trained:
    """What was learned, and the seconds of the parts of it that a library tells about."""

    merges: list[Merge] | None
    phases: dict[str, float] = field(default_factory=dict)


Learned = Callable[[], Trained]


class Trainer(Library):
    """A library that trains, and the rule by which it learns what we learn, if it does."""

    rule: ClassVar[Rule | None] = None

    @abstractmethod
    def train(self, job: Job) -> Learned:
        """Learn merges from the file."""


class Subword(Trainer):
    name = OURS

    def train(self, job: Job) -> Learned:
        library = self.start()
        trainer = library.BpeTrainer(
            num_merges=job.merges,
            pattern="gpt2",
            ties="smallest-ids",
            initial_vocab=gpt2_order() if job.rule.alphabet == "gpt2" else "bytes",
            threads=job.threads,
            progress=False,
        )
        if job.rule.documents == "lines":
            tokenizer = trainer.train_iter(lines(job.path))
        else:
            tokenizer = trainer.train(job.path)

        log = library.training_log(tokenizer)

        def learned() -> Trained:
            phases = {phase.name: phase.seconds for phase in log.phases}
            return Trained(tokenizer.merges, phases)

        return learned


class Tokenizers(Trainer):
    name = REFERENCE
    rule = Rule("lines", "gpt2")
    rounds = 3

    def train(self, job: Job) -> Learned:
        library = self.start()
        byte_level = library.pre_tokenizers.ByteLevel
        tokenizer = library.Tokenizer(library.models.BPE())
        tokenizer.pre_tokenizer = byte_level(add_prefix_space=False)
        trainer = library.trainers.BpeTrainer(
            vocab_size=256 + job.merges,
            initial_alphabet=byte_level.alphabet(),
            show_progress=False,
        )
        tokenizer.train([str(job.path)], trainer)
        return lambda: Trained(spelled_pairs(json.loads(tokenizer.to_str())["model"]["merges"]))


class Gigabpe(Trainer):
    name = "gigabpe"
    rule = Rule("lines", "gpt2")

    def train(self, job: Job) -> Learned:
        _, merges = self.start().train_bpe(
            [str(job.path)],
            vocab_size=job.different + job.merges,  # it starts with the bytes that occur
            pretokenizer="bytelevel",
            threads=job.threads,
        )
        return lambda: Trained(spelled_pairs(merges))


class Gigatoken(Trainer):
    name = "gigatoken"
    rule = Rule("whole", "gpt2")
    rounds = 3

    def train(self, job: Job) -> Learned:
        library = self.start()
        source = library.TextFileSource([job.path])  # a path alone is cut at <|endoftext|>
        _, merges = library.train_bpe(source, 256 + job.merges, [])
        return lambda: Trained([(bytes(left), bytes(right)) for left, right in merges])


class Rustbpe(Trainer):
    name = "rustbpe"
    rule = Rule("lines", "bytes")
    rounds = 3

    def train(self, job: Job) -> Learned:
        tokenizer = self.start().Tokenizer()
        texts = (line.decode() for line in lines(job.path))
        tokenizer.train_from_iterator(texts, 256 + job.merges, pattern=GPT2)
        ranks = tokenizer.get_mergeable_ranks
        return lambda: Trained([(bytes(token),) for token, _ in ranks() if len(token) > 1])


class Youtokentome(Trainer):
    name = "youtokentome"
    rounds = 1

    def train(self, job: Job) -> Learned:
        with tempfile.TemporaryDirectory() as folder:
            self.start().BPE.train(
                data=str(job.path),
                model=str(Path(folder, "model")),
                vocab_size=256 + job.merges,
                n_threads=job.threads,
            )
        return lambda: Trained(None)


class Sentencepiece(Trainer):
    name = "sentencepiece"
    rounds = 1

    def train(self, job: Job) -> Learned:
        with tempfile.TemporaryDirectory() as folder:
            self.start().SentencePieceTrainer.train(
                input=str(job.path),
                model_prefix=str(Path(folder, "model")),
                model_type="bpe",
                vocab_size=256 + job.merges,
                num_threads=job.threads,
                max_sentence_length=1 << 20,
                minloglevel=2,
            )
        return lambda: Trained(None)


TRAINERS: dict[str, Trainer] = {
    trainer.name: trainer
    for trainer in (
        Subword(),
        Tokenizers(),
        Gigabpe(),
        Gigatoken(),
        Rustbpe(),
        Youtokentome(),
        Sentencepiece(),
    )
}


def lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, each with its end."""
    with path.open("rb") as stream:
        yield from stream


def gpt2_alphabet() -> dict[int, str]:
    """Byte to character, as GPT-2's files write bytes.

    Example:
        >>> gpt2_alphabet()[ord("a")], gpt2_alphabet()[ord(" ")]
        ('a', 'Ġ')
    """
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {byte: chr(byte) for byte in shown} | {
        byte: chr(256 + at) for at, byte in enumerate(hidden)
    }


def gpt2_order() -> list[bytes]:
    """The 256 bytes in the order of that alphabet, which is the order of their ids there.

    Example:
        >>> gpt2_order()[:2], gpt2_order()[-1]
        ([b'!', b'"'], b'\\xad')
    """
    alphabet = gpt2_alphabet()
    return [bytes([byte]) for byte in sorted(alphabet, key=alphabet.__getitem__)]


BYTE_OF = {character: byte for byte, character in gpt2_alphabet().items()}


def spelled(token: str) -> bytes:
    """A token of GPT-2's files as bytes.

    Example:
        >>> spelled("Ġthe")
        b' the'
    """
    return bytes(BYTE_OF[character] for character in token)


def spelled_pairs(merges: list[tuple[str, str]]) -> list[Merge]:
    return [(spelled(left), spelled(right)) for left, right in merges]
