"""The algorithms in plain Python, written to be read.

Nothing here is fast and nothing here is clever: these few lines define the right answer, and the
engine is tested against them. Read them in this order:

1. `merge_loop`: byte-pair encoding as it is defined, for both meanings that it has in the wild;
2. `heap_linked`: the same answer without rescanning: a heap, linked arrays, lazy deletion;
3. `piece_cache`: a bounded cache around it;
4. `naive`: where the merges come from: training as it is defined, with its two tie rules;
5. `indexed`: the same answer without counting anew: an index, corrections, a lazy heap;
6. `characters`: words of characters with an end-of-word mark, as it all began;
7. `longest_match`: encoding by the vocabulary alone, the longest token first.

They need the standard library only and import nothing else of this package.
"""

from subword.reference.characters import decode_words, encode_words
from subword.reference.heap_linked import Step, merge_with_heap, steps
from subword.reference.indexed import train_with_index
from subword.reference.longest_match import LongestMatch, encode_longest
from subword.reference.merge_loop import merge_by_list, merge_by_rank
from subword.reference.naive import train_bpe
from subword.reference.piece_cache import CachedEncoder

__all__ = [
    "CachedEncoder",
    "LongestMatch",
    "Step",
    "decode_words",
    "encode_longest",
    "encode_words",
    "merge_by_list",
    "merge_by_rank",
    "merge_with_heap",
    "steps",
    "train_bpe",
    "train_with_index",
]
