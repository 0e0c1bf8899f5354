"""The algorithms in plain Python, written to be read.

The plain ones among them (`merge_loop`, `naive`) define the right answer. Each of the others gives
the same answer by a better idea, and says what the idea is, what it costs and where it goes wrong.
The engine is tested against them. Read them in this order:

1. `merge_loop`: byte-pair encoding as it is defined, for both meanings that it has in the wild;
2. `heap_linked`: the same answer without rescanning: a heap, linked arrays, lazy deletion;
3. `piece_cache`: a bounded cache around it;
4. `naive`: where the merges come from: training as it is defined, with its two tie rules;
5. `incremental`: the same answer without counting anew: linked tokens, corrected counts;
6. `index_heap`: without looking for the highest count: an index of pieces, a lazy heap;
7. `linked_multiset`: without rewriting pieces: linked arrays, a heap whose entries move;
8. `buckets`: without a heap: pairs by their count, and a pointer that falls;
9. `parallel`: without waiting for one core: counting a file in several processes;
10. `characters`: words of characters with an end-of-word mark, as it all began;
11. `sentencepiece`: characters with `▁` for a space, and bytes for the others: Llama 2's form;
12. `longest_match`: encoding by the vocabulary alone, the longest token first;
13. `wordpiece`: the longest token at the start, and so on: BERT's way;
14. `suffix_array`, `wordpiece_linear`: the same answer in linear time, whatever the text;
15. `wordpiece_trainer`: where that vocabulary comes from, with its two scores;
16. `unigram`: the other way round: from too many pieces to the right ones, by probability;
17. `superwords`: tokens of several words, learned in a second stage;
18. `parity`: several sources, and every merge for the one that is worst off;
19. `control`: merges that are ruled out, tokens that must be there;
20. `dropout`: encoding with some merges left out at random, to train a model with;
21. `fewest`: encoding with the fewest tokens of a vocabulary;
22. `compression`: and as it was before all that: to make a text shorter.

`training` has what the trainers share. `TRAINERS` has them all, by name: they take the same
arguments and give the same merges.

They need the standard library only and import nothing else of this package.
"""

from subword.reference import buckets, incremental, index_heap, linked_multiset, naive
from subword.reference.characters import decode_words, encode_words
from subword.reference.compression import compress, expand
from subword.reference.dropout import Draws, merge_with_dropout
from subword.reference.fewest import encode_fewest
from subword.reference.heap_linked import Step, merge_with_heap, steps
from subword.reference.longest_match import LongestMatch, encode_longest
from subword.reference.merge_loop import merge_by_list, merge_by_rank
from subword.reference.naive import train_bpe
from subword.reference.parallel import count_file, train_file
from subword.reference.piece_cache import CachedEncoder
from subword.reference.training import Learn, Merge, Work
from subword.reference.unigram import best_path, train_unigram
from subword.reference.wordpiece import decode_wordpiece, encode_wordpiece
from subword.reference.wordpiece_linear import encode_words_linear, longest_tokens
from subword.reference.wordpiece_trainer import train_wordpiece

#: The trainers that learn from counted pieces, from the slowest to the fastest idea.
TRAINERS: dict[str, Learn] = {
    "naive": naive.learn,
    "incremental": incremental.learn,
    "index_heap": index_heap.learn,
    "linked_multiset": linked_multiset.learn,
    "buckets": buckets.learn,
}

__all__ = [
    "TRAINERS",
    "CachedEncoder",
    "Draws",
    "Learn",
    "LongestMatch",
    "Merge",
    "Step",
    "Work",
    "best_path",
    "compress",
    "count_file",
    "decode_wordpiece",
    "decode_words",
    "encode_fewest",
    "encode_longest",
    "encode_wordpiece",
    "encode_words",
    "encode_words_linear",
    "expand",
    "longest_tokens",
    "merge_by_list",
    "merge_by_rank",
    "merge_with_dropout",
    "merge_with_heap",
    "steps",
    "train_bpe",
    "train_file",
    "train_unigram",
    "train_wordpiece",
]
