"""A step for datatrove's pipelines: how many tokens a document has, and which.

    from subword.integrations.datatrove import EncodeDocuments

    encode = EncodeDocuments("tok.json", ids="input_ids")
    pipeline = [ParquetReader("corpus"), encode, JsonlWriter("out")]

The number stands in ``metadata["token_count"]``, where datatrove's own counter puts it and its
filters and statistics look for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from subword import Tokenizer
from subword.integrations._extras import load

if TYPE_CHECKING:
    from datatrove.data import DocumentsPipeline

    from subword._types import Errors, Special, StrPath


PipelineStep: Any = load("datatrove.pipeline.base", "datatrove").PipelineStep


class EncodeDocuments(PipelineStep):  # type: ignore[misc]
    """Counts the tokens of each document, and keeps its ids if that is asked for.

    Args:
        tok: The tokenizer, or what `Tokenizer.load` reads.
        count: The field of the metadata that gets the number of ids.
        ids: The field of the metadata that gets the ids; None keeps none.
        special: What to do where a text spells a special token, as in `Tokenizer.encode`.
        errors: What to do with lone surrogates, as in `Tokenizer.encode`.
        add_special_tokens: Whether to put the template of the model around each text.
        batch_size: How many documents are encoded together.
        threads: How many threads may work: one, because datatrove starts a process for each core.

    Example:
        >>> from datatrove.data import Document
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> [document] = EncodeDocuments(tok, ids="ids")([Document("low", "0")])
        >>> document.metadata
        {'token_count': 2, 'ids': [256, 119]}
    """

    name = "subword"
    type = "🔢 - TOKENIZER"

    def __init__(
        self,
        tok: Tokenizer | StrPath,
        *,
        count: str = "token_count",
        ids: str | None = None,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        batch_size: int = 1000,
        threads: int | None = 1,
    ) -> None:
        """Load the tokenizer."""
        super().__init__()
        self.tok = tok if isinstance(tok, Tokenizer) else Tokenizer.load(tok)
        self.count, self.ids, self.batch_size = count, ids, batch_size
        self.settings: dict[str, Any] = {
            "special": special,
            "errors": errors,
            "add_special_tokens": add_special_tokens,
            "threads": threads,
        }

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """The documents, each with its numbers."""
        documents = iter(data or ())
        while batch := list(islice(documents, self.batch_size)):
            texts = [document.text for document in batch]
            with self.track_time(unit="batch"):
                if self.ids is None:
                    counts = self.tok.count_batch(texts, **self.settings)
                else:
                    rows = self.tok.encode_batch(texts, **self.settings)
                    counts = list(map(len, rows))
            for number, document in enumerate(batch):
                document.metadata[self.count] = counts[number]
                if self.ids is not None:
                    document.metadata[self.ids] = rows[number]
                self.stat_update("tokens", value=counts[number])
                yield document
