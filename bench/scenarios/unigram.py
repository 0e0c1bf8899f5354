"""Unigram: lines of text to flat ids.

    unigram/xlm-r/en/warm     the lines of a text again
    unigram/xlm-r/en/fresh    the same lines, by a tokenizer that has just been loaded

The vocabulary is that of XLM-R and of the embedding models that took it over, 250,002 pieces, out
of llama.cpp's `nomic-bert-moe`; every library reads the same tokenizer.json. A library is timed
only on lines for which its ids and its offsets are those of tokenizers.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from libraries.unigram import PEERS
from measure import corpora
from measure.results import Result
from scenarios.common import Bench
from scenarios.sentencepiece import measured

TEXTS = ("en", "zh", "ru", "multi")


def encode(bench: Bench, path: str, name: str) -> Result:
    """The lines of a text by every library: warm, or fresh."""
    import subword

    file = corpora.existing(bench.data / "vocabs" / "gguf" / "ggml-vocab-nomic-bert-moe.gguf")
    with tempfile.TemporaryDirectory(prefix="subword-bench-") as folder:
        saved = Path(folder) / "tokenizer.json"
        subword.Tokenizer.load(file).save(saved, format="huggingface")
        return measured(bench, path, saved, name, PEERS)
