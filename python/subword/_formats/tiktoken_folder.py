"""A folder with `tiktoken.model`, as Kimi's: tokens and ranks, and a configuration beside them.

    tiktoken.model           IQ== 0 ...                        163,584 tokens
    tokenizer_config.json    {"tokenizer_class": "TikTokenTokenizer",
                              "added_tokens_decoder": {"163584": {"content": "[BOS]", ...}, ...}}

The pattern is in the Python code that the configuration names, so it is known by that name. The 256
ids after the tokens are special; those that the configuration does not name are
`<|reserved_token_163590|>` and so on.
"""

from __future__ import annotations

from pathlib import Path

from subword._errors import ModelFormatError
from subword._formats.config import Config
from subword._formats.gguf_patterns import KIMI

NAME = "tiktoken.model"

#: The classes that read such a file, and their patterns.
PATTERNS = {"TikTokenTokenizer": KIMI}

#: How many ids after the tokens are special.
RESERVED = 256


def read(path: Path, content: bytes) -> tuple[str, dict[str, int]] | None:
    """The pattern and the special tokens that the configuration beside a file means.

    None where there is no configuration: then the caller has to say what the pattern is.
    """
    config = Config.beside(path)
    if config is None:
        return None
    if config.tokenizer_class not in PATTERNS:
        raise ModelFormatError(
            str(config.path),
            f"how {config.tokenizer_class or 'its tokenizer'} cuts text is not known",
            f"pass pattern=; known is {', '.join(PATTERNS)}",
        )
    first = sum(1 for line in content.splitlines() if line)
    named = {token.id: token.content for token in config.added_tokens}
    ids = sorted({*range(first, first + RESERVED), *(id for id in named if id >= first)})
    special = {named.get(id, f"<|reserved_token_{id}|>"): id for id in ids}
    return PATTERNS[config.tokenizer_class], special
