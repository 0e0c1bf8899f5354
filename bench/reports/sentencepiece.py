"""SentencePiece's BPE, Unigram and the plain chain as tables: libraries down, paths across."""

from __future__ import annotations

from libraries.sentencepiece import REFERENCE
from measure.results import Result
from reports.tables import pivot
from reports.wordpiece import speed


def tables(results: list[Result]) -> list[str]:
    """All of them, as far as there is something to show."""
    parts: list[str] = []
    for kind, words in (
        ("fresh", "lines never seen, by a tokenizer that has just been loaded"),
        ("warm", "the same lines again"),
    ):
        for first, name in (
            ("sentencepiece/", "SentencePiece's BPE"),
            ("unigram/", "Unigram"),
            ("chain/", "Plain chain"),
        ):
            chosen = [r for r in results if r.path.startswith(first) and r.path.endswith(kind)]
            title = (
                f"## {name}, {kind}: {words}\n\none thread, a list of lines in, flat ids and "
                f"offsets out: MB/s (times {REFERENCE})"
            )
            parts += pivot(title, chosen, speed)
    return parts
