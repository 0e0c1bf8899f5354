"""tiktoken's interface over this engine: change one import line and leave the rest as it is.

    import subword.integrations.tiktoken as tiktoken

    enc = tiktoken.get_encoding("cl100k_base")
    enc.encode("hello world")

Methods, arguments, defaults, ids and the types of exceptions are those of tiktoken 0.14.0. What
differs, all of it at the edges:

* Construction is stricter: all 256 bytes must be tokens, no id may belong to two tokens, and a
  special token is never empty (tiktoken fails later, by a panic or in silence).
* Text that the pattern does not match is encoded; tiktoken drops it. Published patterns match all.
* Where one special token begins with another, the longest one is taken; in tiktoken chance decides.
* The words of an error are ours, with the same arguments named.

`get_encoding` never uses the network by itself. It looks for the published vocabulary file, by its
name (`cl100k_base.tiktoken`) or by the name that tiktoken's cache gives it, in

1. the folder that is passed as ``directory``, and then nowhere else;
2. the folder in the environment variable SUBWORD_VOCABS;
3. tiktoken's cache: TIKTOKEN_CACHE_DIR, DATA_GYM_CACHE_DIR, or `data-gym-cache` among the temporary
   files;

and asks the real tiktoken, if it is installed, for what it did not find. A file is used only if it
has the published hash.

Published code of models imports parts of tiktoken: `core`, `load`, `model` and `registry` are here,
too, so that

    from subword.integrations.tiktoken.load import load_tiktoken_bpe

is the same change.
"""

from subword.integrations.tiktoken.core import Encoding
from subword.integrations.tiktoken.model import encoding_for_model, encoding_name_for_model
from subword.integrations.tiktoken.registry import get_encoding, list_encoding_names

#: The version of tiktoken whose interface this is.
__version__ = "0.14.0"

__all__ = [
    "Encoding",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "list_encoding_names",
]
