"""Which models use which encoding, as of tiktoken 0.14.0.

`tests/integrations/test_tiktoken_published.py` compares every line with the installed tiktoken.
"""

from __future__ import annotations

from subword.integrations.tiktoken.core import Encoding
from subword.integrations.tiktoken.registry import get_encoding

_MODELS = {
    "o200k_base": "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o",
    "cl100k_base": "gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 "
    "text-embedding-ada-002 text-embedding-3-small text-embedding-3-large",
    "p50k_base": "text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 "
    "code-cushman-002 code-cushman-001 davinci-codex cushman-codex",
    "p50k_edit": "text-davinci-edit-001 code-davinci-edit-001",
    "r50k_base": "text-davinci-001 text-curie-001 text-babbage-001 text-ada-001 davinci curie "
    "babbage ada text-similarity-davinci-001 text-similarity-curie-001 "
    "text-similarity-babbage-001 text-similarity-ada-001 text-search-davinci-doc-001 "
    "text-search-curie-doc-001 text-search-babbage-doc-001 text-search-ada-doc-001 "
    "code-search-babbage-code-001 code-search-ada-code-001",
    "gpt2": "gpt2 gpt-2",
}
MODEL_TO_ENCODING = {
    model: encoding for encoding, models in _MODELS.items() for model in models.split()
}

# Tried in this order where the whole name is not known.
MODEL_PREFIX_TO_ENCODING = {
    "o1-": "o200k_base",
    "o3-": "o200k_base",
    "o4-mini-": "o200k_base",
    "gpt-5": "o200k_base",
    "gpt-4.5-": "o200k_base",
    "gpt-4.1-": "o200k_base",
    "chatgpt-4o-": "o200k_base",
    "gpt-4o-": "o200k_base",
    "gpt-4-": "cl100k_base",
    "gpt-3.5-turbo-": "cl100k_base",
    "gpt-35-turbo-": "cl100k_base",
    "gpt-oss-": "o200k_harmony",
    "ft:gpt-4o": "o200k_base",
    "ft:gpt-4": "cl100k_base",
    "ft:gpt-3.5-turbo": "cl100k_base",
    "ft:davinci-002": "cl100k_base",
    "ft:babbage-002": "cl100k_base",
}


def encoding_name_for_model(model_name: str) -> str:
    """The name of the encoding that a model uses.

    Example:
        >>> encoding_name_for_model("gpt-4o-2024-05-13")
        'o200k_base'
    """
    if model_name in MODEL_TO_ENCODING:
        return MODEL_TO_ENCODING[model_name]
    for prefix, name in MODEL_PREFIX_TO_ENCODING.items():
        if model_name.startswith(prefix):
            return name
    raise KeyError(f"no encoding is known for the model {model_name!r}: use get_encoding")


def encoding_for_model(model_name: str) -> Encoding:
    """The encoding that a model uses; KeyError for a model that is not known."""
    return get_encoding(encoding_name_for_model(model_name))
