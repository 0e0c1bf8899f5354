"""The split patterns that have a name.

A pattern cuts a text into pieces, which no merge crosses. ``patterns`` maps each name to the
regular expressions that define it (several are applied one after the other; none at all is the
whole text as one piece). Anything else that is passed as ``pattern=`` is a regular expression
itself.

    >>> print(*sorted(patterns))
    bert bert-v1 cl100k deepseek-v3 gpt2 llama3 none o200k qwen2 whitespace
"""

from collections.abc import Mapping
from types import MappingProxyType

from subword import _core

patterns: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: tuple(regexes) for name, regexes in _core.patterns().items()}
)
