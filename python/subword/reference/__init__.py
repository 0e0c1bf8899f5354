"""The algorithms in plain Python, written to be read.

Nothing here is fast and nothing here is clever: these few lines define the right answer, and the
engine is tested against them. Read them in this order:

1. `merge_loop`: byte-pair encoding as it is defined, for both meanings that it has in the wild;
2. `heap_linked`: the same answer without rescanning: a heap, linked arrays, lazy deletion;
3. `piece_cache`: a bounded cache around it;
4. `naive`: where the merges come from: training as it is defined, with its two tie rules.

They need the standard library only and import nothing else of this package.
"""

from subword.reference.heap_linked import Step, merge_with_heap, steps
from subword.reference.merge_loop import merge_by_list, merge_by_rank
from subword.reference.naive import train_bpe
from subword.reference.piece_cache import CachedEncoder

__all__ = [
    "CachedEncoder",
    "Step",
    "merge_by_list",
    "merge_by_rank",
    "merge_with_heap",
    "steps",
    "train_bpe",
]
