"""`tekken.json`, the tokenizer of mistral-common since Mistral Nemo.

    {"config": {"pattern": "...", "default_vocab_size": 131072, "default_num_special_tokens": 1000,
                "version": "v3"},
     "vocab": [{"rank": 0, "token_bytes": "AA==", "token_str": "\\u0000"}, ...],
     "special_tokens": [{"rank": 0, "token_str": "<unk>", "is_control": true}, ...]}

It becomes a native file. The tokens merge by rank, as those of a `.tiktoken` file do, and special
tokens come first: the id of a token is its rank and their number. Only so many tokens count that
all ids fit into the vocabulary. Special tokens that the file does not name are called
`<SPECIAL_20>` and so on; a file of version 7 or older may leave out all of their names. What is
read is what mistral-common 1.13 reads.

mistral-common never finds a special token in a text: ``encode`` with ``special="text"`` does not
either, and ``skip_special_tokens=True`` decodes as it does.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from subword._errors import ModelFormatError
from subword._formats import native

#: Where a file is recognised: its first token stands near the start.
FIRST = 1 << 16

#: The versions that mistral-common 1.13 knows, and the last one that need not name special tokens.
VERSIONS, LAST_UNNAMED = ("v1", "v2", "v3", "v7", "v11", "v13", "v15"), 7

#: The special tokens of files that name none.
UNNAMED = (
    "<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] "
    "[/TOOL_RESULTS] [TOOL_CALLS] [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] "
    "[SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CONTENT]"
)


def recognise(start: bytes) -> bool:
    """Whether a file that starts so is one of these.

    >>> recognise(b'{"config": {}, "vocab": [{"rank": 0, "token_bytes": "AA=="')
    True
    """
    return start.lstrip()[:1] == b"{" and b'"token_bytes"' in start


def read(content: bytes, place: str) -> bytes:
    """The text of a native file that says the same."""
    try:
        file = json.loads(content)
    except ValueError as error:
        raise ModelFormatError(place, f"the JSON cannot be read: {error}") from None

    def refuse(message: str) -> ModelFormatError:
        return ModelFormatError(place, message, "is it a tekken.json of mistral-common?")

    def field(parent: Any, key: str, kind: type) -> Any:
        found = parent.get(key) if isinstance(parent, dict) else None
        if not isinstance(found, kind) or isinstance(found, bool):
            raise refuse(f"expected {KINDS[kind]} under {key!r}, found {shown(found)}")
        return found

    config = field(file, "config", dict)
    version = field(config, "version", str)
    if version not in VERSIONS:
        known = ", ".join(VERSIONS)
        message = f"expected a version of {known}, found {version!r}"
        raise ModelFormatError(place, message, "it was written for a newer mistral-common")
    shift = field(config, "default_num_special_tokens", int)
    size = field(config, "default_vocab_size", int)
    vocab = field(file, "vocab", list)
    count = size - shift
    if not (0 <= shift <= MOST_IDS and 0 <= count <= len(vocab)):
        raise refuse(
            f"expected at least {size} tokens, found {len(vocab)} and {shift} special tokens"
        )
    tokens: dict[str, int] = {}
    for at, token in enumerate(vocab[:count]):
        if field(token, "rank", int) != at:
            raise refuse(f"expected rank {at} in vocab[{at}], found {token['rank']}")
        written = field(token, "token_bytes", str)
        try:
            spelled = native.spelled(base64.b64decode(written, validate=True))
        except ValueError:
            message = f"expected a token in base64 in vocab[{at}], found {shown(written)}"
            raise refuse(message) from None
        if tokens.setdefault(spelled, at + shift) != at + shift:
            message = f"the token in vocab[{at}] is that of vocab[{tokens[spelled] - shift}]"
            raise refuse(message)
    special = special_tokens(file, field, refuse, int(version[1:]), shift)
    pattern = field(config, "pattern", str)
    return native.bpe([pattern], tokens, "ranked", native.special_tokens(special), whole=True)


def special_tokens(
    file: dict[str, Any], field: Any, refuse: Any, version: int, count: int
) -> dict[str, int]:
    """The special tokens and their ids."""
    if file.get("special_tokens") is None:
        if version > LAST_UNNAMED:
            raise refuse(
                f"a file of version v{version} names its special tokens, and this does not"
            )
        named = {token: id for id, token in enumerate(UNNAMED.split())}
    else:
        listed = field(file, "special_tokens", list)
        named = {field(one, "token_str", str): field(one, "rank", int) for one in listed}
        if len(named) < len(listed):
            raise refuse("a special token is there twice")
    named |= {f"<SPECIAL_{id}>": id for id in range(len(named), count)}
    if sorted(named.values()) != list(range(count)):
        raise refuse(f"expected a special token for each id below {count}")
    return named


KINDS = {dict: "an object", list: "a list", str: "a string", int: "a number"}

#: More ids than any tokenizer may have.
MOST_IDS = 1 << 21


def shown(value: object) -> str:
    """The start of a value, as an error shows it."""
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:40] + "..."
