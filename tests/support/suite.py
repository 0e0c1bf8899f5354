"""The 198 Python tests of Hugging Face's tokenizers, by name, and which of them have a case here.

Source: `bindings/python/tests` of huggingface/tokenizers, at the version after 0.23 that has no
benchmarks among these. What a test there expects is a fact; the cases are our own: a component is a
file that our engine loads, a change of a component is one that an accelerated tokenizer follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])

#: Their tests: module, class, and the names without ``test_``.
THEIRS = {
    "decoders": {
        "ByteLevel": "instantiate decoding manual_reload",
        "Replace": "instantiate decoding",
        "WordPiece": "instantiate decoding can_modify",
        "ByteFallback": "instantiate decoding",
        "Fuse": "instantiate decoding",
        "Strip": "instantiate decoding",
        "Metaspace": "instantiate decoding can_modify",
        "BPEDecoder": "instantiate decoding can_modify",
        "CTCDecoder": "instantiate decoding can_modify",
        "SequenceDecoder": "instantiate decoding",
    },
    "encoding": {
        "Encoding": "sequence_ids n_sequences word_to_tokens word_to_chars token_to_sequence "
        "token_to_chars token_to_word char_to_token char_to_word truncation "
        "invalid_truncate_direction",
    },
    "models": {
        "BPE": "can_modify dropout_zero",
        "Unigram": "can_modify alpha_zero",
        "WordPiece": "instantiate can_modify",
        "WordLevel": "instantiate can_modify",
    },
    "normalizers": {
        "BertNormalizer": "instantiate strip_accents handle_chinese_chars clean_text lowercase "
        "can_modify",
        "Sequence": "instantiate can_make_sequences set_item item_getters_and_setters",
        "Lowercase": "instantiate lowercase",
        "Strip": "instantiate left_strip right_strip full_strip can_modify",
        "Prepend": "instantiate prepend can_modify",
        "CustomNormalizer": "instantiate normalizer_interface",
    },
    "pre_tokenizers": {
        "ByteLevel": "instantiate has_alphabet can_modify manual_reload",
        "Split": "instantiate",
        "Whitespace": "instantiate",
        "WhitespaceSplit": "instantiate",
        "BertPreTokenizer": "instantiate",
        "Metaspace": "instantiate can_modify",
        "CharDelimiterSplit": "instantiate can_modify",
        "Punctuation": "instantiate",
        "Sequence": "instantiate bert_like set_item item_getters_and_setters",
        "Digits": "instantiate can_modify",
        "FixedLength": "instantiate pre_tokenize_str",
        "UnicodeScripts": "instantiate",
        "CustomPreTokenizer": "instantiate camel_case",
    },
    "processors": {
        "BertProcessing": "instantiate processing",
        "RobertaProcessing": "instantiate processing",
        "ByteLevelProcessing": "instantiate processing manual_reload",
        "TemplateProcessing": "instantiate bert_parity roberta_parity",
        "SequenceProcessing": "sequence_processing post_process items",
    },
    "tokenizer": {
        "AddedToken": "instantiate_with_content_only can_set_rstrip can_set_lstrip "
        "can_set_single_world can_set_normalized",
        "Tokenizer": "has_expected_type_and_methods add_tokens add_tokens_with_normalizer "
        "normalizer_change_refreshes_added_tokens add_special_tokens encode encode_formats "
        "encode_add_special_tokens truncation padding decode decode_stream_copy_and_prefix_ids "
        "decode_stream_fallback decode_skip_special_tokens decode_stream get_vocab get_vocab_size "
        "post_process multiprocessing_with_parallelism multithreaded_concurrency from_pretrained "
        "from_pretrained_revision unigram_byte_fallback encode_special_tokens splitting "
        "decode_special weakref_support weakref_with_multiple_references setting_to_none",
        "TokenizerRepr": "repr repr_complete",
        "AsyncTokenizer": "basic_encoding encode with_special_tokens with_truncation_padding "
        "various_input_formats error_handling concurrency decode large_batch numpy_inputs "
        "async_methods_existence performance_comparison",
    },
    "trainers": {
        "BpeTrainer": "can_modify can_pickle",
        "WordPieceTrainer": "can_modify can_pickle",
        "WordLevelTrainer": "can_modify can_pickle",
        "Unigram": "train train_parallelism_with_custom_pretokenizer can_pickle "
        "train_with_special_tokens cannot_train_different_model can_modify "
        "continuing_prefix_trainer_mismatch",
    },
    "documentation": {
        "Pipeline": "pipeline bert_example",
        "Quicktour": "quicktour",
        "TrainFromIterators": "train_basic datasets gzip",
    },
    "implementations": {
        "BaseTokenizer": "get_set_components",
        "BertWordPieceTokenizer": "basic_encode multiprocessing_with_parallelism "
        "train_from_iterator",
        "ByteLevelBPE": "basic_encode add_prefix_space lowerspace "
        "multiprocessing_with_parallelism train_from_iterator",
        "CharBPETokenizer": "basic_encode lowercase decoding multiprocessing_with_parallelism "
        "train_from_iterator",
        "SentencePieceBPE": "train_from_iterator",
        "SentencePieceUnigram": "train train_with_unk_token train_from_iterator "
        "train_from_iterator_with_unk_token",
    },
    "freethreaded": {
        "EncodeUnderConcurrentSetters": "encode_while_swapping_post_processor "
        "encode_while_mutating_trainer_fields concurrent_setters_no_lock_poisoning",
        "FreeThreadedSpecific": "gil_actually_disabled_on_import",
    },
    "serialization": {
        "Serialization": "full_serialization_albert str_big repr_str repr_str_ellipsis",
        "FullDeserialization": "full_deserialization_hub",
    },
}

NAMES = [
    f"{module}.{kind}.{name}"
    for module, kinds in THEIRS.items()
    for kind, names in kinds.items()
    for name in names.split()
]

#: The tests that have no case here, by the reason.
LEFT_OUT = {
    "a component of a tokenizer that is written in Python, which a file cannot hold": [
        "normalizers.CustomNormalizer.instantiate",
        "normalizers.CustomNormalizer.normalizer_interface",
        "pre_tokenizers.CustomPreTokenizer.instantiate",
        "pre_tokenizers.CustomPreTokenizer.camel_case",
        "trainers.Unigram.train_parallelism_with_custom_pretokenizer",
    ],
    "a trainer of WordLevel, which we do not have": [
        "trainers.WordLevelTrainer.can_modify",
        "trainers.WordLevelTrainer.can_pickle",
    ],
    "the words of their `repr`": [
        "tokenizer.TokenizerRepr.repr",
        "tokenizer.TokenizerRepr.repr_complete",
        "serialization.Serialization.str_big",
        "serialization.Serialization.repr_str",
        "serialization.Serialization.repr_str_ellipsis",
    ],
    "methods that are coroutines: ours are called in threads, and let other threads run": [
        "tokenizer.AsyncTokenizer.async_methods_existence",
        "tokenizer.AsyncTokenizer.performance_comparison",
    ],
    "a file that is on their hub alone": [
        "tokenizer.Tokenizer.from_pretrained_revision",
        "tokenizer.Tokenizer.encode_special_tokens",
        "tokenizer.Tokenizer.splitting",
        "documentation.Pipeline.pipeline",
        "documentation.Pipeline.bert_example",
        "documentation.Quicktour.quicktour",
        "implementations.CharBPETokenizer.basic_encode",
        "implementations.CharBPETokenizer.lowercase",
        "implementations.CharBPETokenizer.decoding",
        "serialization.FullDeserialization.full_deserialization_hub",
    ],
    "a build of Python without its lock": [
        "freethreaded.FreeThreadedSpecific.gil_actually_disabled_on_import",
    ],
}

#: The tests that have a case here.
PORTED: list[str] = []


def ported(names: Iterable[str]) -> list[str]:
    """Their names, kept as those of tests that have a case."""
    found = list(names)
    PORTED.extend(found)
    return found


def case(*names: str) -> Callable[[Function], Function]:
    """Says which of their tests the case is."""
    PORTED.extend(names)
    return lambda function: function
