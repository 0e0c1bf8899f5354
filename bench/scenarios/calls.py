"""A tokenizer of transformers, as it is and accelerated: the same calls, the same results.

    transformers/gpt2/lists      1,000 texts of 2 kB, lists of ids
    transformers/gpt2/padded     the same, cut and padded to matrices of numpy
    transformers/gpt2/offsets    the same with offsets, as lists
    transformers/gpt2/decode     the ids back to texts
    transformers/gpt2/train      train_new_from_iterator: 16,000 tokens

By one thread each. Results are compared before they are timed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from libraries import OURS
from measure import corpora
from measure.results import Result, Row
from measure.timing import rotated, timed, timed_repeats
from scenarios.common import Bench, reported

REFERENCE = "transformers"
KINDS = ("lists", "padded", "offsets", "decode", "train")
VOCABS = ("gpt2", "bert-base-uncased", "qwen2_5")

TEXTS, TEXT_CHARS = 1000, 2000
TRAINED_CHARS, VOCAB_SIZE = 10_000_000, 16_000
ONE_THREAD = {"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"}
PADDED = {"padding": True, "truncation": True, "max_length": 512, "return_tensors": "np"}


def call(bench: Bench, path: str, vocab: str, kind: str) -> Result:
    """One kind of call, by the tokenizer as it is and accelerated."""
    rows = {name: Row(name) for name in (REFERENCE, OURS)}
    file = corpora.existing(bench.data / "vocabs" / vocab / "tokenizer.json")
    text = corpora.text(bench.data, "en", bench.settings.text_bytes).decode()
    for row in rows.values():
        row.size = len(text if kind == "train" else text[: TEXTS * TEXT_CHARS])
    with one_thread():
        works = {}
        for name, row in rows.items():
            with reported(row, absent=True):
                works[name] = work(tokenizer(file, name == OURS), text, kind)
        if len(works) == len(rows):
            compare(rows[OURS], *(works[name]() for name in (OURS, REFERENCE)))
        for number in range(bench.settings.further_rounds):
            for row in rotated([row for row in rows.values() if row.status == "timed"], number):
                with reported(row):
                    row.add(number, run(bench, works[row.library], kind))
    return Result(path, [*rows.values()], REFERENCE)


def run(bench: Bench, work: Callable[[], Any], kind: str) -> Any:
    if kind == "train":
        return timed(lambda _: work(), None)
    return timed_repeats(lambda _: work(), None, seconds=bench.settings.repeat_seconds, limit=10)


def tokenizer(file: Path, accelerated: bool) -> Any:
    """The tokenizer of a file, with a token to pad with."""
    from subword.integrations.transformers import accelerate
    from transformers import PreTrainedTokenizerFast

    tok = PreTrainedTokenizerFast(tokenizer_file=str(file))
    tok.pad_token = tok.convert_ids_to_tokens(0)
    return accelerate(tok) if accelerated else tok


def work(tok: Any, text: str, kind: str) -> Callable[[], Any]:
    """What is timed."""
    if kind == "train":
        whole = text[:TRAINED_CHARS]
        texts = [whole[at : at + 1000] for at in range(0, len(whole), 1000)]
        batches = [texts[at : at + 1000] for at in range(0, len(texts), 1000)]
        return lambda: tok.train_new_from_iterator(iter(batches), VOCAB_SIZE)
    texts = [text[at * TEXT_CHARS : (at + 1) * TEXT_CHARS] for at in range(TEXTS)]
    if kind == "decode":
        return partial(tok.batch_decode, tok(texts, verbose=False)["input_ids"])
    options: dict[str, dict[str, Any]] = {
        "lists": {},
        "padded": PADDED,
        "offsets": {"return_offsets_mapping": True},
    }
    return partial(tok, texts, verbose=False, **options[kind])


def compare(row: Row, ours: Any, theirs: Any) -> None:
    """The same results, or the library is not timed."""
    if isinstance(theirs, list):
        same = ours == theirs
    elif hasattr(theirs, "backend_tokenizer"):
        files = [json.loads(tok.backend_tokenizer.to_str()) for tok in (ours, theirs)]
        same = files[0] == files[1]
    else:
        pairs = [(ours[name], theirs[name]) for name in theirs]
        same = all((a == b) if isinstance(a, list) else (a == b).all() for a, b in pairs)
    if not same:
        row.fail("ids differ", f"from those of {REFERENCE}")


@contextmanager
def one_thread() -> Iterator[None]:
    """Both engines by one thread."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
