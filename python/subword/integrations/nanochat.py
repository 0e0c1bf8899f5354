"""The tokenizer class that nanochat works with, over this engine.

    from subword.integrations.nanochat import NanochatTokenizer as RustBPETokenizer

    tokenizer = RustBPETokenizer.train_from_iterator(texts, vocab_size=65536)
    tokenizer.encode(["low", "lower"], prepend="<|bos|>")
    tokenizer.save("tokenizer")                          # and from_directory("tokenizer")

Methods and arguments are those of nanochat's own class, which trains by rustbpe and encodes by
tiktoken; names and numbers (special tokens, the pattern with two digits, how a conversation is
rendered and which of its tokens are trained on) are facts of nanochat's `tokenizer.py`. The merges
are rustbpe's: among pairs that occur equally often the one of the smallest ids comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from subword import BpeTrainer, Tokenizer

if TYPE_CHECKING:
    from typing_extensions import Self

    from subword._types import StrPath

BOS = "<|bos|>"
#: What stands around what somebody says, and around calls of Python and their output.
TURNS = ("user", "assistant", "python", "output")
SPECIAL_TOKENS = [BOS, *(f"<|{turn}_{end}|>" for turn in TURNS for end in ("start", "end"))]

#: GPT-4's pattern, with two digits to a piece where that has three.
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)

FILE = "tokenizer.json"


class NanochatTokenizer:
    """A tokenizer with the methods of nanochat's `RustBPETokenizer`.

    Example:
        >>> texts = ["low lower lowest"] * 3
        >>> tokenizer = NanochatTokenizer.train_from_iterator(texts, 268)
        >>> tokenizer.encode("low", prepend="<|bos|>"), tokenizer.get_bos_token_id()
        ([259, 257], 259)
    """

    def __init__(self, tok: Tokenizer, bos_token: str = BOS) -> None:
        """Take a tokenizer, and the token that starts a document."""
        self.tok = tok
        self._special = tok.special_tokens
        self.bos_token_id = self.encode_special(bos_token)

    @classmethod
    def train_from_iterator(cls, text_iterator: Iterable[str], vocab_size: int) -> Self:
        """Learn a vocabulary of this size, special tokens included."""
        return cls(
            BpeTrainer(
                vocab_size, pattern=PATTERN, special_tokens=SPECIAL_TOKENS, ties="smallest-ids"
            ).train_iter(text_iterator)
        )

    @classmethod
    def from_directory(cls, tokenizer_dir: StrPath) -> Self:
        """Read what `save` has written."""
        return cls(Tokenizer.load(Path(tokenizer_dir, FILE)))

    @classmethod
    def from_pretrained(cls, tiktoken_name: str) -> Self:
        """Load a published encoding of tiktoken, whose documents start by ``<|endoftext|>``."""
        return cls(Tokenizer.load(tiktoken_name), "<|endoftext|>")

    def save(self, tokenizer_dir: StrPath) -> None:
        """Write the tokenizer into a folder, which is made if need be."""
        folder = Path(tokenizer_dir)
        folder.mkdir(parents=True, exist_ok=True)
        self.tok.save(folder / FILE, format="native")

    def get_vocab_size(self) -> int:
        """One more than the largest id."""
        return self.tok.max_id + 1

    def get_special_tokens(self) -> set[str]:
        """All special tokens."""
        return set(self._special)

    def get_bos_token_id(self) -> int:
        """The id of the token that starts a document."""
        return self.bos_token_id

    def id_to_token(self, id: int) -> str:
        """The text of one id."""
        return self.tok.decode([id])

    def encode_special(self, text: str) -> int:
        """The id of a token, special or not; KeyError if there is none."""
        found = self._special.get(text)
        return self.tok.token_id(text) if found is None else found

    @overload
    def encode(
        self,
        text: str,
        prepend: int | str | None = None,
        append: int | str | None = None,
        num_threads: int = 8,
    ) -> list[int]: ...
    @overload
    def encode(
        self,
        text: list[str],
        prepend: int | str | None = None,
        append: int | str | None = None,
        num_threads: int = 8,
    ) -> list[list[int]]: ...
    def encode(
        self,
        text: str | list[str],
        prepend: int | str | None = None,
        append: int | str | None = None,
        num_threads: int = 8,
    ) -> list[int] | list[list[int]]:
        """The ids of a text or of many, special tokens in it as text; with ids around them."""
        before = None if prepend is None else self._id(prepend)
        after = None if append is None else self._id(append)
        if isinstance(text, str):
            return self.tok.encode(text, prepend=before, append=after, threads=num_threads)
        if not isinstance(text, list):
            raise ValueError(f"text must be a str or a list of them, not {type(text).__name__}")
        return self.tok.encode_batch(text, prepend=before, append=after, threads=num_threads)

    def __call__(self, *args: Any, **kwargs: Any) -> list[int] | list[list[int]]:
        """`encode`."""
        return self.encode(*args, **kwargs)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids."""
        return self.tok.decode(ids)

    def decode_single_token_bytes(self, token_id: int) -> bytes:
        """The bytes of one id."""
        return self.tok.token_bytes(token_id)

    def render_conversation(
        self, conversation: Mapping[str, Any], max_tokens: int = 2048
    ) -> tuple[list[int], list[int]]:
        """The ids of a conversation, and a mask: 1 for what the assistant is trained to write.

        Args:
            conversation: ``{"messages": [{"role": ..., "content": ...}, ...]}``: by turns from the
                user and the assistant; a system message at the start becomes part of the first one.
                What the assistant says is a text, or parts of type text, python and python_output.
            max_tokens: How many ids to keep, from the start.

        Returns:
            The ids and the mask, of one length.

        Raises:
            ValueError: A message is from somebody whose turn it is not, or of an unknown type.
        """
        ids, mask = [self.bos_token_id], [0]

        def add(new: list[int], trained: int) -> None:
            ids.extend(new)
            mask.extend([trained] * len(new))

        for number, message in enumerate(_messages(conversation)):
            role, content = ("user", "assistant")[number % 2], message["content"]
            if message["role"] != role:
                raise ValueError(f"message {number} must be from {role}, not {message['role']}")
            if role == "user":
                add(self._turn("user", content), 0)
                continue
            add([self.encode_special("<|assistant_start|>")], 0)
            for kind, text in _parts(content):
                if kind == "text":
                    add(self.encode(text), 1)
                elif kind == "python":
                    add(self._turn("python", text), 1)
                elif kind == "python_output":
                    add(self._turn("output", text), 0)
                else:
                    raise ValueError(f"unknown part type: {kind!r}")
            add([self.encode_special("<|assistant_end|>")], 1)
        return ids[:max_tokens], mask[:max_tokens]

    def render_for_completion(self, conversation: Mapping[str, Any]) -> list[int]:
        """The ids of a conversation up to where the assistant begins its last message."""
        messages = list(conversation["messages"])
        if messages[-1]["role"] != "assistant":
            raise ValueError("the last message must be from assistant")
        ids, _ = self.render_conversation({"messages": messages[:-1]})
        return [*ids, self.encode_special("<|assistant_start|>")]

    def _id(self, token: int | str) -> int:
        return token if isinstance(token, int) else self.encode_special(token)

    def _turn(self, turn: str, text: str) -> list[int]:
        """A text between the two tokens of a turn."""
        start, end = (self.encode_special(f"<|{turn}_{side}|>") for side in ("start", "end"))
        return self.encode(text, prepend=start, append=end)


def _messages(conversation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages, with that of the system as a part of the first one."""
    first, *others = conversation["messages"]
    if first["role"] != "system":
        return [first, *others]
    if not others or others[0]["role"] != "user":
        raise ValueError("a system message must be followed by one from user")
    joined = {"role": "user", "content": f"{first['content']}\n\n{others[0]['content']}"}
    return [joined, *others[1:]]


def _parts(content: str | list[Mapping[str, str]]) -> list[tuple[str, str]]:
    """The parts of what the assistant says: their types and texts."""
    if isinstance(content, str):
        return [("text", content)]
    return [(part["type"], part["text"]) for part in content]
