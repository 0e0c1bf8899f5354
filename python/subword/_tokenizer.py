"""The tokenizer: what a user holds in hand.

The hot calls (``encode``, ``decode``, ``count`` and their kin) are the engine's own methods,
inherited without a layer in between. This class adds how a tokenizer is made and how texts are
streamed. Wide calls are functions: `encode_files`, `encode_inputs`, `explain`, `prune` and more.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from subword import _core
from subword._deprecated import OldNames, split_encoder
from subword._errors import ArgumentError, ModelFormatWarning, UnknownTokenError
from subword._identity import Identity
from subword._load import load_model
from subword._stream import encode_stream

if TYPE_CHECKING:
    from typing_extensions import Self

    from subword._explain.explainer import Explainer
    from subword._train.log import TrainingLog
    from subword._types import (
        Encoder,
        Errors,
        Pattern,
        Special,
        SpecialTokens,
        StrPath,
        Text,
        Units,
        Unknown,
        WordEncoder,
    )

DEFAULT_CACHE_BYTES: int = _core.DEFAULT_CACHE_BYTES


class Tokenizer(Identity, OldNames):
    """Text to token ids and back, by byte-pair encoding or WordPiece.

    A tokenizer never changes. Any number of threads may share one, a forked child goes on with it,
    it pickles, and two tokenizers are equal if they give the same ids for the same reasons.

    Args:
        vocab: The tokens by id.
        merges: The pairs of tokens that are merged, the lowest rank first. Both tokens of a pair,
            and the two joined, are tokens of ``vocab``.
        special_tokens: Strings that bypass merging. Those that are not in ``vocab`` get the next
            free ids, or the ids of a mapping.
        pattern: What cuts a text into pieces, which no merge crosses: a name, a regular
            expression, or several of them.
        units: What a piece is before anything is merged: its ``"bytes"`` or its ``"chars"``.
        end_of_word: A token that is put after the last unit of each piece. It stands for the white
            space there: pieces of white space are skipped, and it is decoded as a space.
        unk_token: The token of characters that are no tokens. Without it they are an error.
        longest_match: Whether to ignore the merges, and cut a piece into the longest tokens that
            stand anywhere in it. This changes ids. All that is left between tokens is one
            ``unk_token``.
        cache_bytes: How much memory each thread that encodes may use to remember pieces; 0
            remembers nothing. It changes no id.
        encoder: Deprecated: ``"longest"`` is ``longest_match=True``.

    Raises:
        ModelFormatError: The parts do not fit together.
        PatternError: The pattern does not work.

    Example:
        >>> from subword import Tokenizer
        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
        >>> tok = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")], ["<|endoftext|>"])
        >>> tok.encode("low lower<|endoftext|>", special="encode")
        [257, 32, 257, 101, 114, 258]

        Words of characters with a mark at their end:

        >>> words = Tokenizer(
        ...     dict(enumerate([b"l", b"o", b"w", b"</w>", b"lo", b"w</w>"])),
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

        The longest tokens, whatever the merges:

        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"ab", 257: b"bcd"}
        >>> Tokenizer(vocab, [], longest_match=True).encode("abcd")
        [97, 257]
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
        longest_match: bool = False,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        encoder: Encoder | None = None,
    ) -> Self:
        """Make a tokenizer of tokens and merges."""
        longest, _ = split_encoder(encoder, longest_match, None)
        model = _core.Model.from_merges(
            vocab, merges, special_tokens, pattern, units, end_of_word, unk_token
        )
        return cls._of(model, cache_bytes, longest_match=longest or None)

    @classmethod
    def _of(
        cls,
        model: _core.Model,
        cache_bytes: int,
        *,
        longest_match: bool | None = None,
        linear_time: bool | None = None,
    ) -> Self:
        if longest_match is not None:
            model = model.encoded_by("longest" if longest_match else "merges")
        return _core.Engine.__new__(cls, model, cache_bytes, bool(linear_time))

    @classmethod
    def from_ranks(
        cls,
        ranks: Mapping[bytes, int],
        *,
        pattern: Pattern,
        special_tokens: SpecialTokens | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> Self:
        """Make a tokenizer in tiktoken's sense: any two tokens merge that joined are a token.

        Args:
            ranks: The tokens and their ids; the lowest id merges first.
            pattern: What cuts a text into pieces.
            special_tokens: Strings that bypass merging, with ids or without.
            cache_bytes: How much memory each thread may use to remember pieces.

        Returns:
            The tokenizer.

        Raises:
            ModelFormatError: The parts do not fit together, such as a byte that is no token.
            PatternError: The pattern does not work.

        Example:
            >>> from subword import Tokenizer
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
        pattern: Pattern = "bert",
        prefix: str = "##",
        unk_token: str = "[UNK]",
        cls_token: str = "[CLS]",
        sep_token: str = "[SEP]",
        max_word_chars: int | None = 100,
        max_word_bytes: int | None = None,
        unknown: Unknown = "word",
        cleanup: bool = True,
        linear_time: bool = False,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        encoder: WordEncoder | None = None,
    ) -> Self:
        """Make a WordPiece tokenizer, as BERT has one.

        A word is the longest token that starts it, then the longest token with the prefix that
        continues it, and so on.

        Args:
            vocab: The tokens: strings in the order of their ids, or bytes by id.
            special_tokens: The special tokens; by default those of BERT that ``vocab`` has.
            lowercase: Whether to lower the case of the text.
            strip_accents: Whether to remove accents; None does so where ``lowercase`` is on.
            clean: Whether to remove control characters, and make all white space a space.
            cjk: Whether every Chinese character is a word of its own.
            pattern: What cuts a text into words.
            prefix: What tokens inside a word begin with.
            unk_token: The token of a word that has no tokens.
            cls_token: The special token that ``add_special_tokens`` puts before a text, if any.
            sep_token: The special token that it puts after a text, if any.
            max_word_chars: A word of more characters is unknown; None sets no limit.
            max_word_bytes: The same limit in bytes, instead.
            unknown: ``"word"``: a word with an unknown part becomes one ``unk_token``; ``"char"``:
                only the character that no token starts with becomes ``unk_token``.
            cleanup: Whether decoding removes the space before punctuation.
            linear_time: Whether to encode in time that is linear in the length of the text,
                whatever the text. The ids are the same; ordinary text is faster without it.
            cache_bytes: How much memory each thread may use to remember words.
            encoder: Deprecated: ``"linear"`` is ``linear_time=True``.

        Returns:
            The tokenizer.

        Raises:
            ModelFormatError: The parts do not fit together.

        Example:
            >>> from subword import Tokenizer
            >>> tok = Tokenizer.wordpiece(["[UNK]", "[CLS]", "[SEP]", "low", "##er", "##est"])
            >>> tok.encode("Lower, löwest", add_special_tokens=True)
            [1, 3, 4, 0, 3, 5, 2]
            >>> tok.decode([3, 4, 3, 5])
            'lower lowest'
        """
        _, linear = split_encoder(encoder, None, linear_time)
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
        }
        return cls._of(_core.Model.word_piece(vocab, settings), cache_bytes, linear_time=linear)

    @classmethod
    def load(
        cls,
        source: StrPath | bytes,
        *,
        pattern: Pattern | None = None,
        special_tokens: SpecialTokens | None = None,
        merges: StrPath | None = None,
        lowercase: bool | None = None,
        longest_match: bool | None = None,
        linear_time: bool = False,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        encoder: Encoder | WordEncoder | None = None,
    ) -> Self:
        """Read a tokenizer: from a file, whose content says which format it is, or by its name.

        A name is looked for on this machine, and nothing is downloaded: an encoding of tiktoken in
        the folder SUBWORD_VOCABS and in tiktoken's cache, any other name in the cache of Hugging
        Face's Hub.

        Truncation and padding that a ``tokenizer.json`` holds are the defaults of `encode_inputs`;
        `encode` gives the whole text.

        Args:
            source: The path of our own file, of a ``tokenizer.json``, a ``vocab.json`` with
                ``merges.txt`` beside it, a ``.tiktoken``, ``tokenizer.model``, ``tekken.json``,
                ``.gguf`` or ``vocab.txt`` file, or of a directory with one of these; or the
                content of such a file as ``bytes``; or a name like ``"cl100k_base"``,
                ``"whisper"`` or ``"Qwen/Qwen3-8B"``.
            pattern: The pattern, for a file that does not hold one (``.tiktoken``). The files that
                tiktoken's encodings are published in are recognised, and need none.
            special_tokens: The special tokens, for a file that does not hold any. Without this and
                ``pattern``, a published encoding has those that it is published with.
            merges: The path of ``merges.txt``, if it is not beside ``vocab.json``.
            lowercase: Whether a ``vocab.txt`` is for text in lower case. None looks into
                ``tokenizer_config.json`` beside it, or for capital letters in its tokens.
            longest_match: Whether to cut pieces into the longest tokens rather than to merge,
                instead of what the file says. This changes ids.
            linear_time: For WordPiece, whether to encode in time that is linear in the length of
                the text. This does not change ids.
            cache_bytes: How much memory each thread may use to remember pieces.
            encoder: Deprecated: see ``longest_match`` and ``linear_time``.

        Returns:
            The tokenizer.

        Raises:
            ModelFormatError: The file is damaged, or asks for something that we do not run.
            UnknownNameError: There is neither such a file nor such a name. It is an `OSError`.
            OSError: The file cannot be read.

        Example:
            >>> from subword import BpeTrainer, Tokenizer
            >>> tok = BpeTrainer(num_merges=1).train_iter(["low low"])
            >>> tok.save("tok.json")
            >>> Tokenizer.load("tok.json") == tok
            True
        """
        longest, linear = split_encoder(encoder, longest_match, linear_time)
        model, notes = load_model(source, pattern, special_tokens, merges, lowercase)
        for note in notes:
            warnings.warn(note, ModelFormatWarning, stacklevel=2)
        return cls._of(model, cache_bytes, longest_match=longest, linear_time=linear)

    def encode_iter(
        self,
        texts: Iterable[Text],
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        prepend: str | int | None = None,
        append: str | int | None = None,
    ) -> Iterator[int]:
        """Encode texts that arrive one by one, as if they were one text.

        The longest stretch without a place to cut is gathered; by some expressions, all of it.

        Args:
            texts: The parts of the text, in order.
            special: What to do where the text spells a special token, as in `encode`.
            errors: What to do with lone surrogates, as in `encode`.
            add_special_tokens: Whether to put the tokens of the model's template around the text.
            prepend: A special token or an id to put before everything.
            append: The same, after it.

        Returns:
            An iterator of ids, equal to ``encode`` of the joined text.

        Raises:
            SpecialTokenError: The text spells a special token, with ``special="error"``.
            TextError: A part has a lone surrogate, or something that the model has no token for.

        Example:
            >>> from subword import Tokenizer
            >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
            >>> list(tok.encode_iter(["l", "ow"]))
            [256, 119]
        """
        return encode_stream(self, texts, special, errors, add_special_tokens, prepend, append)

    def token_id(self, token: bytes | str) -> int:
        """The id of one whole token.

        Args:
            token: The token as bytes, or as text.

        Returns:
            The id.

        Raises:
            UnknownTokenError: There is no such token. It is a `KeyError`.

        Example:
            >>> from subword import Tokenizer
            >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<|endoftext|>"])
            >>> tok.token_id(b"a"), tok.token_id("<|endoftext|>")
            (97, 256)
        """
        found = self._find_token(token.encode() if isinstance(token, str) else token)
        if found is None:
            raise UnknownTokenError(token)
        return found

    @property
    def normalizer(self) -> str | None:
        """What changes a text before it is cut, as `count_pieces` and `normalize` call it, or None.

        Example:
            >>> from subword import Tokenizer
            >>> Tokenizer.wordpiece(["[UNK]", "low"]).normalizer
            'bert-uncased'
        """
        return _core.normalizer(self)

    def _require_pieces(self, argument: str, purpose: str) -> None:
        """Refuse a tokenizer whose steps do not tell its pieces from what becomes of them."""
        if self.kind == "chain":
            message = f"a tokenizer that runs by the plain chain cannot be {purpose}"
            raise ArgumentError(argument, message)

    @cached_property
    def _explainer(self) -> Explainer:
        from subword._explain import explainer_of

        return explainer_of(self)
