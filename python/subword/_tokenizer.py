"""The tokenizer: what a user holds in hand.

The hot calls (``encode``, ``decode``, ``count`` and their kin) are the engine's own methods,
inherited without a layer in between; this class adds how a tokenizer is made, kept, compared and
streamed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from subword import _core
from subword._decoder import Decoder
from subword._errors import ModelFormatWarning, UnknownTokenError
from subword._identity import Identity

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Self

    from subword._corpus.encode_files import EncodedFiles
    from subword._counts import Counts
    from subword._explain.explainer import Explainer, Explanation
    from subword._train.log import TrainingLog
    from subword._types import (
        BertTables,
        Encoder,
        Errors,
        ModelInputs,
        Padding,
        Pattern,
        Side,
        Special,
        SpecialTokens,
        StrPath,
        Text,
        Truncation,
        Units,
        Unknown,
        WordEncoder,
    )

DEFAULT_CACHE_BYTES: int = _core.DEFAULT_CACHE_BYTES


class Tokenizer(Identity):
    """Text to token ids and back, by byte-pair encoding or WordPiece.

    Frozen: any number of threads may share one, a forked child goes on with it, it pickles, and two
    tokenizers are equal if they give the same ids for the same reasons. ``cache_bytes`` bounds the
    memory in which each thread that encodes remembers pieces (0 remembers nothing, and changes no
    id).

    >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
    >>> tok = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")], ["<|endoftext|>"])
    >>> tok.encode("low lower<|endoftext|>", special="encode")
    [257, 32, 257, 101, 114, 258]
    """

    _training_log: TrainingLog | None = None

    def __new__(
        cls,
        vocab: Mapping[int, bytes],
        merges: Iterable[tuple[bytes, bytes]],
        special_tokens: SpecialTokens | None = None,
        *,
        pattern: Pattern = "gpt2",
        units: Units = "bytes",
        end_of_word: str | None = None,
        unk_token: str | None = None,
        encoder: Encoder = "merges",
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> Self:
        """A tokenizer with these tokens and merges, the first merge first.

        Special tokens that are not in ``vocab`` get the next free ids, or the ids of a mapping.

        A piece starts as its bytes, or with ``units="chars"`` as its characters; ``end_of_word`` is
        a token that is put after the last one. It stands for the white space there: pieces that are
        white space are skipped, and it is decoded as a space. A character that is no token is
        ``unk_token``, or an error.

        >>> vocab = dict(enumerate([b"l", b"o", b"w", b"</w>", b"lo", b"w</w>"]))
        >>> words = Tokenizer(
        ...     vocab,
        ...     [(b"l", b"o"), (b"w", b"</w>")],
        ...     ["<unk>"],
        ...     pattern="whitespace",
        ...     units="chars",
        ...     end_of_word="</w>",
        ...     unk_token="<unk>",
        ... )
        >>> words.encode("low  slow")
        [4, 5, 6, 4, 5]
        >>> words.decode([4, 5, 6, 4, 5])
        'low <unk>low'

        With ``encoder="longest"`` merges do not matter: a piece is cut into the longest tokens that
        stand anywhere in it, and all that is left between them is one ``unk_token``.

        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"ab", 257: b"bcd"}
        >>> Tokenizer(vocab, [], encoder="longest").encode("abcd")
        [97, 257]
        """
        model = _core.Model.from_merges(
            vocab, merges, special_tokens, pattern, units, end_of_word, unk_token
        )
        return cls._of(model, cache_bytes, None if encoder == "merges" else encoder)

    @classmethod
    def _of(
        cls, model: _core.Model, cache_bytes: int, encoder: Encoder | WordEncoder | None = None
    ) -> Self:
        if encoder is not None and encoder != "fast" and encoder != "linear":
            model = model.encoded_by(encoder)
        return _core.Engine.__new__(cls, model, cache_bytes, encoder == "linear")

    @classmethod
    def from_ranks(
        cls,
        ranks: Mapping[bytes, int],
        *,
        pattern: Pattern,
        special_tokens: SpecialTokens | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> Self:
        """A tokenizer in tiktoken's sense: any two tokens merge whose concatenation is a token.

        >>> ranks = {bytes([i]): i for i in range(256)} | {b"lo": 256}
        >>> Tokenizer.from_ranks(ranks, pattern="cl100k").encode("low")
        [256, 119]
        """
        return cls._of(_core.Model.from_ranks(ranks, special_tokens, pattern), cache_bytes)

    @classmethod
    def wordpiece(
        cls,
        vocab: Iterable[str] | Mapping[int, bytes],
        special_tokens: SpecialTokens | None = None,
        *,
        lowercase: bool = True,
        strip_accents: bool | None = None,
        clean: bool = True,
        cjk: bool = True,
        tables: BertTables = "0.23",
        pattern: Pattern = "bert",
        prefix: str = "##",
        unk_token: str = "[UNK]",
        cls_token: str = "[CLS]",
        sep_token: str = "[SEP]",
        max_word_chars: int | None = 100,
        max_word_bytes: int | None = None,
        unknown: Unknown = "word",
        cleanup: bool = True,
        encoder: WordEncoder = "fast",
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> Self:
        """A WordPiece tokenizer with these tokens; of strings the place is the id.

        Text is made ready as for BERT: ``clean`` takes out control characters, ``cjk`` makes every
        Chinese character a word, then case and accents go (``strip_accents=None``: where
        ``lowercase``). ``tables="1.0"`` knows newer characters, as coming Hugging Face tokenizers
        do. The words are those of ``pattern``; a word is the longest token that starts it, then the
        longest with ``prefix`` that goes on. A word without such tokens, or with more than
        ``max_word_chars`` characters (or ``max_word_bytes`` bytes), is ``unk_token``; with
        ``unknown="char"`` only the character is at which no token starts.

        Special tokens are those of BERT that ``vocab`` has, unless the caller names them. If
        ``cls_token`` and ``sep_token`` are among them, they stand around a text where
        ``add_special_tokens`` asks for it.

        ``encoder="linear"`` gives the same ids in a time that depends on nothing but the length of
        the text; ``"fast"`` is faster on what people write.

        >>> tok = Tokenizer.wordpiece(["[UNK]", "[CLS]", "[SEP]", "low", "##er", "##est"])
        >>> tok.encode("Lower, löwest", add_special_tokens=True)
        [1, 3, 4, 0, 3, 5, 2]
        >>> tok.decode([3, 4, 3, 5])
        'lower lowest'
        """
        if not isinstance(vocab, Mapping):
            vocab = {id: token.encode() for id, token in enumerate(vocab)}
        settings: dict[str, object] = {
            "special_tokens": special_tokens,
            "pattern": pattern,
            "unk_token": unk_token,
            "cls_token": cls_token,
            "sep_token": sep_token,
            "prefix": prefix,
            "max_word_chars": max_word_chars,
            "max_word_bytes": max_word_bytes,
            "unknown": unknown,
            "cleanup": cleanup,
            "lowercase": lowercase,
            "strip_accents": strip_accents,
            "clean": clean,
            "cjk": cjk,
            "tables": tables,
        }
        return cls._of(_core.Model.word_piece(vocab, settings), cache_bytes, encoder)

    @classmethod
    def load(
        cls,
        path: StrPath,
        *,
        pattern: Pattern | None = None,
        special_tokens: SpecialTokens | None = None,
        merges: StrPath | None = None,
        lowercase: bool | None = None,
        encoder: Encoder | WordEncoder | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> Self:
        """Read a tokenizer from a file; the file's content says which format it is.

        Our own file, ``tokenizer.json``, ``vocab.json`` (with ``merges.txt`` beside it, or
        ``merges``), ``.tiktoken`` (which has no pattern: pass ``pattern``), ``vocab.txt``, or a
        directory with one of these. Whether a ``vocab.txt`` is for text in lower case says
        ``lowercase``, or ``tokenizer_config.json`` beside it, or the capital letters in it.

        ``encoder`` is "merges" or "longest", instead of what the file says: other ids for the same
        tokens. WordPiece has two ways to the same ids: "fast", and "linear", whose time depends on
        nothing but the length of the text.

        Settings of calls in a ``tokenizer.json``, truncation and padding, are not read: a
        `ModelFormatWarning` says so, and `encode_inputs` takes them.
        """
        model, notes = _core.Model.load(path, pattern, special_tokens, merges, lowercase)
        for note in notes:
            warnings.warn(note, ModelFormatWarning, stacklevel=2)
        return cls._of(model, cache_bytes, encoder)

    @classmethod
    def from_files(
        cls,
        vocab_filepath: StrPath,
        merges_filepath: StrPath,
        special_tokens: SpecialTokens | None = None,
        *,
        pattern: Pattern = "gpt2",
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> Self:
        """Read ``vocab.json`` and ``merges.txt``."""
        return cls.load(
            vocab_filepath,
            pattern=pattern,
            special_tokens=special_tokens,
            merges=merges_filepath,
            cache_bytes=cache_bytes,
        )

    def truncated(self, vocab_size: int) -> Self:
        """The smaller tokenizer with this many tokens: every one that a training run passed.

        The first merges stay, and the special tokens, whose ids move down to follow the tokens
        that are left: as if training had stopped there.

        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
        >>> tok = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")], ["<|endoftext|>"])
        >>> tok.truncated(258).encode("low<|endoftext|>", special="encode")
        [256, 119, 257]
        """
        return self._of(self._truncated(vocab_size), self.cache_bytes)

    def pruned(
        self, counts: Counts, *, threads: int | None = None
    ) -> tuple[Self, npt.NDArray[np.int64]]:
        """The smaller tokenizer without the tokens that a corpus never needs, and the new ids.

        ``counts`` are the pieces of the corpus, cut by this tokenizer's own pattern. A token goes
        if it does not come out of any of them and no token that stays is made of it. Bytes (or
        characters, where merging starts from them) and special tokens stay. Texts made of the
        counted pieces keep their tokens; others are still encoded, in more tokens.

        The array has a new id for every old one, or -1: ``new_ids[tok.encode(text)]`` are the
        ids of the smaller one. They close up in order, so that the rows of an embedding matrix
        that stay are ``matrix[new_ids >= 0]``.

        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low", 258: b"es"}
        >>> tok = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w"), (b"e", b"s")], ["<|endoftext|>"])
        >>> from subword import count_pieces
        >>> smaller, new_ids = tok.pruned(count_pieces(texts=["low slow"]))
        >>> smaller.vocab_size, smaller.find_token(b"es"), smaller.special_tokens
        (259, None, {'<|endoftext|>': 258})
        >>> new_ids[tok.encode("slow")].tolist(), smaller.encode("slow"), new_ids[258:].tolist()
        ([115, 257], [115, 257], [-1, 258])
        """
        from subword._counts import Counts

        if not isinstance(counts, Counts):
            raise TypeError(f"counts must be Counts, not {type(counts).__name__}")
        model, new_ids = _core.pruned(self, counts._counts, threads=threads)
        return self._of(model, self.cache_bytes, "linear" if self._linear else None), new_ids

    def encode_iter(
        self, texts: Iterable[Text], *, special: Special = "text", errors: Errors = "strict"
    ) -> Iterator[int]:
        """The ids of all the texts joined, lazily.

        A named pattern needs memory for little more than the longest stretch without a place to
        cut; a regular expression may decide its first piece by its last character, so its text is
        gathered whole.

        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> list(tok.encode_iter(["l", "ow"]))
        [256, 119]
        """
        from subword._stream import encode_stream

        return encode_stream(self, texts, special, errors)

    encode_iterable = encode_iter

    def encode_files(
        self,
        sources: StrPath | Iterable[StrPath],
        out: StrPath,
        *,
        split: str = "file",
        field: str = "text",
        append: str | int | None = None,
        special: Special = "encode",
        errors: Errors = "strict",
        on_error: Literal["raise", "skip"] = "raise",
        dtype: Literal["auto", "uint16", "uint32"] = "auto",
        shard_size: int | str = "64MB",
        max_document: int | str = "1GB",
        threads: int | None = None,
        overwrite: bool = False,
        verify: bool = False,
        progress: bool | Callable[[dict[str, float]], None] | None = None,
    ) -> EncodedFiles:
        """Encode a corpus to files: of any size, in little memory, never losing work.

        ``sources`` are paths or globs: text, ``.jsonl`` (the string in ``field``), ``.parquet``
        (the column ``field``), ``.gz`` and ``.zst``. A document is a line of JSON, a row, or of a
        text the whole file; with ``split="line"`` a line, with a special token what stands before
        it.

        ``out`` says by its name what is written: one ``.npy`` or raw ``.bin``, Megatron's ``.idx``
        (and its ``.bin``), ``.parquet``, or a directory of shards of about ``shard_size`` with the
        ends of documents. Ids are ``uint16`` if all of the tokenizer's fit, else ``uint32``.
        ``append`` is a special token or an id after each document. `open_tokens` reads them all.

        A file has its name only when it is complete. A run that ended early goes on if it is called
        again, and repeats at most a shard of work; if the sources, the tokenizer or the arguments
        have changed, it is an error, unless ``overwrite``, which removes what that run has written.
        Two runs never write the same files: the second one is an error. A document that is no text
        is an error with its file and line, or is left out and listed with ``on_error="skip"``. A
        line of JSON, a row, or a text without a place to cut it that is larger than
        ``max_document`` ends the run. ``verify`` reads the files once more, and compares them with
        the check sums in their manifest.

        ``progress`` shows a bar, by default if standard error is a terminal, or is a function that
        is told how far it is.

        >>> from pathlib import Path
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<|endoftext|>"])
        >>> _ = Path("corpus.txt").write_text("low\\nnew")
        >>> made = tok.encode_files("corpus.txt", "ids.npy", split="line", append="<|endoftext|>")
        >>> made.documents, made.tokens, made.dtype
        (2, 8, 'uint16')
        >>> import numpy
        >>> numpy.load("ids.npy").tolist()
        [108, 111, 119, 256, 110, 101, 119, 256]
        """
        from subword._corpus.encode_files import Settings, encode_files

        settings = Settings(
            split=split,
            field=field,
            append=append,
            special=special,
            errors=errors,
            on_error=on_error,
            dtype=dtype,
            shard_size=shard_size,
            max_document=max_document,
            threads=threads,
            overwrite=overwrite,
            verify=verify,
            progress=progress,
        )
        return encode_files(self, sources, out, settings)

    def encode_inputs(
        self,
        texts: Iterable[Text],
        pairs: Iterable[Text] | None = None,
        *,
        max_length: int | None = None,
        truncation: Truncation = "longest_first",
        truncation_side: Side = "right",
        padding: Padding | None = "longest",
        padding_side: Side = "right",
        pad_to_multiple_of: int | None = None,
        pad_token: str | None = None,
        add_special_tokens: bool = True,
        special: Special = "text",
        errors: Errors = "strict",
        threads: int | None = None,
    ) -> ModelInputs:
        """Many texts, or pairs of texts, as the numpy arrays that a model takes.

        ``input_ids``, ``attention_mask`` and ``token_type_ids``, a row for each text: the template
        around it, cut to ``max_length``, padded to the length of the longest row or to
        ``max_length``. The padding is ``[PAD]``, ``<pad>`` or ``pad_token``. Nothing is remembered:
        the next call does what its own arguments say.

        >>> vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "low", "##er", "slow"]
        >>> tok = Tokenizer.wordpiece(vocab)
        >>> inputs = tok.encode_inputs(["Lower", "low"], ["slow", "slow lower"], max_length=6)
        >>> inputs["input_ids"].tolist()
        [[2, 4, 5, 3, 6, 3], [2, 4, 3, 6, 4, 3]]
        >>> inputs["token_type_ids"].tolist()
        [[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]]
        """
        from subword._inputs import model_inputs

        return model_inputs(
            self,
            texts,
            pairs,
            max_length=max_length,
            truncation=truncation,
            truncation_side=truncation_side,
            padding=padding,
            padding_side=padding_side,
            pad_to_multiple_of=pad_to_multiple_of,
            pad_token=pad_token,
            add_special_tokens=add_special_tokens,
            special=special,
            errors=errors,
            threads=threads,
        )

    def decoder(
        self,
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        cleanup: bool | None = None,
    ) -> Decoder:
        """A decoder for ids that arrive one by one."""
        return Decoder(
            self, errors=errors, skip_special_tokens=skip_special_tokens, cleanup=cleanup
        )

    def explain(self, piece: Text) -> Explanation:
        """How one piece becomes its tokens, merge by merge: to print, as a tree, as data.

        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
        >>> print(Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")]).explain("slow"))
        slow
          rank  pair  tokens
                      s l o w
             0  l+o   s lo w
             1  lo+w  s low
           ids        115 257
        """
        return self._explainer.piece(piece)

    def explain_text(self, text: Text, *, special: Special = "text") -> list[Explanation]:
        """How every piece of a text becomes its tokens; each special token is one by itself."""
        return self._explainer.text(text, special)

    @cached_property
    def _explainer(self) -> Explainer:
        from subword._explain.explainer import Explainer
        from subword._explain.wordpiece import WordPieceExplainer

        return WordPieceExplainer(self) if self.kind == "wordpiece" else Explainer(self)

    def token_id(self, token: bytes | str) -> int:
        """The id of a token."""
        found = self.find_token(token.encode() if isinstance(token, str) else token)
        if found is None:
            raise UnknownTokenError(token)
        return found

    @property
    def normalizer(self) -> str | None:
        """What a text goes through before it is cut, as `count_pieces` calls it; None for nothing.

        >>> Tokenizer.wordpiece(["[UNK]", "low"]).normalizer
        'bert-uncased'
        """
        return _core.normalizer(self)

    @property
    def training_log(self) -> TrainingLog | None:
        """What the training did that made this tokenizer; None unless it was trained just now.

        It is no part of the tokenizer: a file, a pickle or a copy does not have it.
        """
        return self._training_log
