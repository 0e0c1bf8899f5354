"""Finds the tokenizer of a repository in the local cache of Hugging Face's Hub.

The cache is read by `huggingface_hub`, where it is installed; HF_HOME and HF_HUB_CACHE say where it
is, as everywhere. A name means the branch "main", as it was when it was downloaded.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

#: ``Qwen/Qwen3-8B``, or one of the old names without an owner: ``bert-base-uncased``.
NAME = re.compile(r"(?:[\w.-]+/)?[A-Za-z0-9][\w.-]*")

#: The files that a tokenizer is read from: any of them says that the folder has one.
FILES = (
    "tokenizer.json",
    "vocab.json",
    "vocab.txt",
    "tokenizer.model",
    "tekken.json",
    "tiktoken.model",
)


def is_installed() -> bool:
    """Whether there is something that reads the cache."""
    return importlib.util.find_spec("huggingface_hub") is not None


def folder(name: str) -> Path | None:
    """The folder of a repository's files, if it was downloaded with a tokenizer."""
    if NAME.fullmatch(name) is None or not is_installed():
        return None
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    for file in FILES:
        try:
            found = try_to_load_from_cache(name, file)
        except HFValidationError:
            return None
        if isinstance(found, str):  # else it is not there, or is known to be missing on the Hub
            return Path(found).parent
    return None


def cache() -> Path:
    """Where the cache is."""
    from huggingface_hub.constants import HF_HUB_CACHE

    return Path(HF_HUB_CACHE)
