"""Our engine beside that of a tokenizer of transformers: made from it, and checked against it.

A `tokenizers.Tokenizer` can be changed at any time: tokens are added, a post-processor is set. So
every call compares what it is made of with what our engine was made from, which costs microseconds,
and makes a new engine where they differ.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from subword import ModelFormatError, Tokenizer

if TYPE_CHECKING:
    from subword._rows.rows import Slot
    from subword._types import Special

#: Texts on which both engines must agree before ours is used.
SAMPLE = [
    "",
    " ",
    "Hello, world! It's 2026; don't  stop\n\n\tat 1,234,567.89 or    x",
    "naïve café Ünïcödé ﬁne ½ İstanbul ǅ ß ﷺ",
    "中文字符和 日本語テキスト 한국어 ไทย हिन्दी עברית العربية",
    "e\u0301 A\u030a \u200b zero\u200dwidth \ufeff \u00a0 nbsp \u3000 wide",
    "👩‍👩‍👧‍👦 🏳️‍🌈 😀😀 \U0001f9ff",
    "def f(x):\n    return x**2  # ok\r\n\r\n    if x != y: pass\n",
    "▁under ▁▁ _under_ Ġ Ċ </w> ## ##ing [UNK] <unk> <0x0A>",
    "trailing space ",
    "\x00\x01\x7f\x85 control \u2028 line",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
]


#: The settings of their models, which can be changed in place.
SETTINGS = (
    "dropout",
    "unk_token",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "fuse_unk",
    "byte_fallback",
    "ignore_merges",
    "max_input_chars_per_word",
    "alpha",
)


def parts_of(theirs: Any) -> tuple[Any, ...]:
    """What a tokenizer of Hugging Face is made of, as far as it can be told at once."""
    model = theirs.model
    parts = (theirs.normalizer, theirs.pre_tokenizer, theirs.post_processor, theirs.decoder)
    states = (None if part is None else part.__getstate__() for part in parts)
    settings = tuple(getattr(model, name, None) for name in SETTINGS)
    return (theirs.get_vocab_size(True), settings, type(model), *states)


@contextmanager
def plain(theirs: Any, split_special_tokens: bool) -> Iterator[None]:
    """Without truncation and padding, which are put back."""
    truncation, padding = theirs.truncation, theirs.padding
    encode_special = theirs.encode_special_tokens
    theirs.no_truncation()
    theirs.no_padding()
    if encode_special != split_special_tokens:
        theirs.encode_special_tokens = split_special_tokens
    try:
        yield
    finally:
        if encode_special != split_special_tokens:
            theirs.encode_special_tokens = encode_special
        if truncation is not None:
            theirs.enable_truncation(**truncation)
        if padding is not None:
            theirs.enable_padding(**padding)


def threads() -> int | None:
    """How many threads Hugging Face's library may use, by the variables that it reads."""
    if os.environ.get("TOKENIZERS_PARALLELISM", "").lower() in (
        "0",
        "false",
        "off",
        "no",
        "n",
        "f",
    ):
        return 1
    number = os.environ.get("RAYON_NUM_THREADS", "")
    return int(number) if number.isdecimal() and int(number) > 0 else None


class Backend:
    """Our engine, made from a `tokenizers.Tokenizer`.

    Raises:
        ModelFormatError: Our engine does not run this tokenizer, or differs on the sample.
    """

    def __init__(self, theirs: Any) -> None:
        self.theirs = theirs
        self.parts = parts_of(theirs)
        if getattr(theirs.model, "dropout", None):
            raise ModelFormatError("", "it leaves out merges at random (dropout)")
        if getattr(theirs.model, "alpha", None):
            raise ModelFormatError("", "it samples among the pieces of a text (alpha)")
        with plain(theirs, theirs.encode_special_tokens):  # settings of calls, which are not ours
            file = theirs.to_str()
        self.engine = Tokenizer.load(file.encode())
        self.single: list[Slot] = self.engine._template_slots(False)
        self.pair: list[Slot] = self.engine._template_slots(True)
        texts = [
            [part for part, _ in slots if part in ("A", "B")] for slots in (self.single, self.pair)
        ]
        if texts != [["A"], ["A", "B"]]:
            raise ModelFormatError("", "its template does not have each text once, in order")
        self.check()
        self.decodes = self.agrees_in_decoding()

    @cached_property
    def keeps_ranges(self) -> bool:
        """Whether their encodings know where the text is in its row.

        Those of tokenizers 0.22 do not if there is one text and no post-processor, and then take
        padding for a part of it.
        """
        return bool(json.loads(self.theirs.encode("a").__getstate__())["sequence_ranges"])

    @cached_property
    def odd_windows(self) -> tuple[bool, bool]:
        """What their post-processors do to windows alone: keep a space, keep the type of a pair.

        The offsets of a token may leave out the space before it, but not at the start of a window,
        so they depend on where the text is cut. RoBERTa's gives both texts of a pair the type 0,
        but without special tokens it forgets the windows that overflow.
        """
        every = self.processors
        keeps = any(one.get("trim_offsets") and one.get("add_prefix_space") for one in every)
        return keeps, any(one.get("type") == "RobertaProcessing" for one in every)

    @cached_property
    def processors(self) -> list[dict[str, Any]]:
        """Their post-processors, as their file has them."""
        processor = json.loads(self.parts[-2] or b"{}")
        return [processor, *processor.get("processors", [])]

    @property
    def further_types(self) -> dict[str, int] | None:
        """The types of windows that are not the first of their text, if not those of the template.

        Their templates give types to first windows alone: the others keep what a text begins with.
        """
        every = self.processors
        return {"A": 0, "B": 1} if any("single" in one for one in every) else None

    def is_current(self, theirs: Any) -> bool:
        """Whether the tokenizer is still what the engine was made from."""
        return theirs is self.theirs and parts_of(theirs) == self.parts

    def beside(self, theirs: Any) -> Backend:
        """The same engine beside a copy of the tokenizer that it was made from."""
        other = copy.copy(self)
        other.theirs = theirs
        return other

    @cached_property
    def vocab(self) -> dict[str, int]:
        """The ids of all tokens."""
        return self.theirs.get_vocab(with_added_tokens=True)  # type: ignore[no-any-return]

    @cached_property
    def tokens(self) -> dict[int, str]:
        """All tokens by their ids."""
        return {id: self.theirs.id_to_token(id) for id in self.vocab.values()}

    @cached_property
    def odd(self) -> frozenset[int]:
        """The tokens that are called by what the text has there, not by their own name.

        They are added tokens, and the unknown token of a Unigram model.
        """
        normalizes = self.theirs.normalizer is not None
        added = self.theirs.get_added_tokens_decoder().items()
        found = {
            id
            for id, token in added
            if token.lstrip or token.rstrip or (token.normalized and normalizes)
        }
        unk = self.engine.unk_token if self.parts[2].__name__ == "Unigram" else None
        return frozenset(found if unk is None else found | {self.vocab[unk]})

    def check(self) -> None:
        """Compare both engines on the sample, with every added token in it."""
        added = [token.content for token in self.theirs.get_added_tokens_decoder().values()]
        joined = "".join(f" a{token}b {token}  {token}" for token in added[:200])
        texts = [*SAMPLE, joined, joined.upper()]
        for split in (False, True):
            special: Special = "text" if split else "encode"
            ids, bounds, offsets, pieces = self.engine._encode_batch_offsets(texts, special=special)
            with plain(self.theirs, split):
                found = self.theirs.encode_batch(texts, add_special_tokens=False)
            for row, theirs in enumerate(found):
                here = slice(int(bounds[row]), int(bounds[row + 1]))
                ours = ids[here].tolist(), offsets[here].tolist(), pieces[here].tolist()
                rows = theirs.ids, [list(place) for place in theirs.offsets], theirs.word_ids
                for what, one, other in zip(("ids", "offsets", "words"), ours, rows, strict=True):
                    if one != other:
                        message = f"its {what} differ from Hugging Face's for {texts[row][:60]!r}"
                        raise ModelFormatError("", message)

    def agrees_in_decoding(self) -> bool:
        """Whether both engines decode the sample alike."""
        batch = self.engine.encode_batch(SAMPLE, special="encode", add_special_tokens=True)
        last = sorted(self.vocab.values())[-5:]
        batch += [ids[1:] for ids in batch] + [ids[2:-1] for ids in batch] + [last, last[:1]]
        for skip in (False, True):
            ours = self.engine.decode_batch(batch, skip_special_tokens=skip)
            # One by one: some classes put a `decode` of their own into the backend.
            if ours != [self.theirs.decode(ids, skip_special_tokens=skip) for ids in batch]:
                return False
        return True
