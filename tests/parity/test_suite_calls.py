"""Calls: the tests of Hugging Face's tokenizers, by accelerated tokenizers and by our own calls.

`tests.support.suite` names their tests; what they expect is in the cases.
"""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import multiprocessing
import pickle
import threading
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokenizers
from subword import Decoder, SubwordError, Tokenizer, added_tokens, encode_inputs
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, processors

from tests.support import chains
from tests.support.bert import published_pair
from tests.support.published import file
from tests.support.suite import case

transformers = pytest.importorskip("transformers")

ADDED = ["my", "name", "is", "john", "pair"]
JOHN = "my name is john"


def accelerated(tok: tokenizers.Tokenizer, **settings: Any) -> Any:
    """A tokenizer of their library, run by our engine; nothing may be left to theirs."""
    from subword.integrations.transformers import accelerate

    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tok, **settings)
    return accelerate(fast)


def empty(*added: Any, special: tuple[str, ...] = ()) -> tokenizers.Tokenizer:
    """A model without tokens, with added ones."""
    tok = tokenizers.Tokenizer(models.BPE())
    tok.add_special_tokens([*special])
    tok.add_tokens([*added])
    return tok


def ours_of(tok: tokenizers.Tokenizer) -> Tokenizer:
    """A tokenizer of their library, loaded by ours."""
    return Tokenizer.load(tok.to_str().encode())


def tokens(fast: Any, *texts: Any, **options: Any) -> list[str]:
    """The tokens of one row."""
    found: list[str] = fast(*texts, **options).tokens()
    assert not fast.fallbacks
    return found


@cache
def bert() -> Any:
    """BERT, accelerated."""
    return accelerated(published_pair("bert-base-uncased")[0], pad_token="[PAD]")


@cache
def roberta() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """RoBERTa's vocabulary and merges."""
    vocab = json.loads(file("vocabs/roberta-base/vocab.json").read_text("utf-8"))
    lines = file("vocabs/roberta-base/merges.txt").read_text("utf-8").splitlines()[1:]
    return vocab, [tuple(line.split(" ")) for line in lines]  # type: ignore[misc]


def byte_level(**options: Any) -> Any:
    """RoBERTa's vocabulary as their class for byte-level BPE has it, accelerated."""
    from tokenizers.implementations.byte_level_bpe import ByteLevelBPETokenizer

    return accelerated(ByteLevelBPETokenizer(*roberta(), **options)._tokenizer)


# Encodings


ANSWERS: dict[str, list[tuple[bool, tuple[int, ...], Any]]] = {
    "word_to_tokens": [
        (False, (0,), (1, 2)),
        (True, (0,), (1, 2)),
        (True, (0, 0), (1, 2)),
        (True, (6, 0), None),
        (True, (0, 1), (6, 7)),
    ],
    "word_to_chars": [
        (False, (2,), (7, 18)),
        (True, (2,), (7, 18)),
        (True, (2, 0), (7, 18)),
        (True, (2, 1), (6, 7)),
    ],
    "token_to_sequence": [
        (False, (2,), 0),
        *((True, (at,), part) for at, part in [(2, 0), (0, None), (5, None), (6, 1), (8, 1)]),
        (True, (9,), None),
        (True, (1200,), None),
    ],
    "token_to_chars": [
        (False, (0,), None),
        (False, (2,), (2, 6)),
        (True, (2,), (2, 6)),
        (True, (5,), None),
        (True, (6,), (0, 2)),
    ],
    "token_to_word": [
        *((False, (at,), word) for at, word in [(0, None), (1, 0), (4, 2)]),
        *((True, (at,), word) for at, word in [(1, 0), (4, 2), (5, None), (6, 0), (7, 1)]),
    ],
    "char_to_token": [
        (False, (0,), 1),
        (True, (0,), 1),
        (True, (0, 0), 1),
        (True, (1, 0), None),
        (True, (0, 1), 6),
        (True, (2, 1), None),
    ],
    "char_to_word": [
        (False, (0,), 0),
        (False, (1,), None),
        (True, (2,), 1),
        (True, (2, 0), 1),
        (True, (2, 1), None),
        (True, (3, 1), 1),
    ],
}


def encodings() -> tuple[Any, Any]:
    """The encodings of a text and of a pair."""
    text = "I love HuggingFace"
    return bert()([text]).encodings[0], bert()([(text, "Do you?")]).encodings[0]


@case(*(f"encoding.Encoding.{name}" for name in ANSWERS))
@pytest.mark.parametrize("name", ANSWERS)
def test_encodings_answer_questions(name: str) -> None:
    single, pair = encodings()
    assert single.tokens == ["[CLS]", "i", "love", "hugging", "##face", "[SEP]"]
    assert pair.tokens == [*single.tokens, "do", "you", "?", "[SEP]"]
    for paired, question, answer in ANSWERS[name]:
        assert getattr(pair if paired else single, name)(*question) == answer


@case("encoding.Encoding.sequence_ids", "encoding.Encoding.n_sequences")
def test_encodings_know_their_texts() -> None:
    single, pair = encodings()
    assert single.sequence_ids == [None, 0, 0, 0, 0, None]
    assert pair.sequence_ids == [None, 0, 0, 0, 0, None, 1, 1, 1, None]
    assert (single.n_sequences, pair.n_sequences) == (1, 2)


@case("encoding.Encoding.truncation", "encoding.Encoding.invalid_truncate_direction")
def test_encodings_can_be_cut() -> None:
    single, pair = encodings()
    single.truncate(2, 1, "right")
    assert single.tokens == ["[CLS]", "i"]
    assert single.overflowing[0].tokens == ["i", "love"]
    assert len(single) == len(pickle.loads(pickle.dumps(single))) == 2
    single.pad(4)
    assert single.attention_mask == [1, 1, 0, 0]
    with pytest.raises(ValueError, match="Invalid truncation direction value : not_a_direction"):
        pair.truncate(2, 1, "not_a_direction")


# Post-processors


@case("processors.BertProcessing.processing", "processors.TemplateProcessing.bert_parity")
@pytest.mark.parametrize(
    "processor",
    [
        processors.BertProcessing(("[SEP]", 0), ("[CLS]", 1)),
        processors.TemplateProcessing(
            single=["[CLS]", "$0", "[SEP]"],
            pair=["[CLS]", "$A", "[SEP]", "$B:1", "[SEP]:1"],
            special_tokens=[("[CLS]", 1), ("[SEP]", 0)],
        ),
    ],
)
def test_pairs_stand_in_the_template_of_bert(processor: Any) -> None:
    tok = empty(*ADDED, special=("[SEP]", "[CLS]"))
    tok.post_processor = processor
    fast = accelerated(tok)
    expected = ["[CLS]", "my", "name", "[SEP]", "pair", "[SEP]"]
    assert tokens(fast, "my name", "pair") == expected
    assert fast("my name", "pair")["input_ids"] == [1, 2, 3, 0, 6, 0]


@case("processors.RobertaProcessing.processing", "processors.TemplateProcessing.roberta_parity")
@pytest.mark.parametrize(
    "processor",
    [
        processors.RobertaProcessing(("</s>", 1), ("<s>", 0)),
        processors.TemplateProcessing(
            single="<s> $0 </s>",
            pair="<s> $A </s> </s> $B </s>",
            special_tokens=[("<s>", 0), ("</s>", 1)],
        ),
    ],
)
def test_pairs_stand_in_the_template_of_roberta(processor: Any) -> None:
    tok = empty(*ADDED, special=("<s>", "</s>"))
    tok.post_processor = processor
    fast = accelerated(tok)
    expected = ["<s>", "my", "name", "</s>", "</s>", "pair", "</s>"]
    assert tokens(fast, "my name", "pair") == expected
    assert fast("my name", "pair")["input_ids"] == [0, 2, 3, 1, 1, 6, 1]


@case("processors.ByteLevelProcessing.processing")
def test_offsets_are_trimmed_as_the_post_processor_says() -> None:
    tok = tokenizers.Tokenizer(models.BPE(*roberta()))
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    fast = accelerated(tok)
    whole = [(0, 2), (2, 7), (7, 10), (10, 15)]
    trimmed = [(3, 7), (8, 10), (11, 15)]
    for processor, expected in [
        (None, whole),
        (processors.ByteLevel(trim_offsets=True, add_prefix_space=True), [(0, 2), *trimmed]),
        (processors.ByteLevel(trim_offsets=True, add_prefix_space=False), [(1, 2), *trimmed]),
        (processors.ByteLevel(trim_offsets=False, add_prefix_space=True), whole),
    ]:
        if processor is not None:
            fast.backend_tokenizer.post_processor = processor
        assert tokens(fast, "My name is John") == ["ĠMy", "Ġname", "Ġis", "ĠJohn"]
        assert fast("My name is John", return_offsets_mapping=True)["offset_mapping"] == expected


@case("processors.SequenceProcessing.post_process")
def test_post_processors_run_one_after_the_other() -> None:
    template = processors.TemplateProcessing(
        single=["[CLS]", "$0", "[SEP]"],
        pair=["[CLS]:0", "$A", "[SEP]:0", "$B:1", "[SEP]:1"],
        special_tokens=[("[CLS]", 1), ("[SEP]", 0)],
    )
    tok = empty("my", "name", "is", "Ġjohn", "pair", special=("[SEP]", "[CLS]"))
    tok.post_processor = template
    fast = accelerated(tok)
    for start, processor in [
        (11, None),
        (12, processors.Sequence([processors.ByteLevel(trim_offsets=True), template])),
    ]:
        if processor is not None:
            fast.backend_tokenizer.post_processor = processor
        places = [(0, 0), (0, 2), (3, 7), (8, 10), (start, 16), (0, 0)]
        options = {"return_offsets_mapping": True, "return_token_type_ids": True}
        single = fast("my name is Ġjohn", **options)
        assert single["input_ids"] == [1, 2, 3, 4, 5, 0]
        assert single["token_type_ids"] == [0] * 6
        assert single["offset_mapping"] == places
        pair = fast("my name is Ġjohn", "pair", **options)
        assert pair["token_type_ids"] == [0] * 6 + [1, 1]
        assert pair["offset_mapping"] == [*places, (0, 4), (0, 0)]
    assert not fast.fallbacks


# Added tokens


@case(
    "tokenizer.AddedToken.instantiate_with_content_only",
    "tokenizer.AddedToken.can_set_rstrip",
    "tokenizer.AddedToken.can_set_lstrip",
    "tokenizer.AddedToken.can_set_single_world",
    "tokenizer.AddedToken.can_set_normalized",
)
@pytest.mark.parametrize("flag", [None, "rstrip", "lstrip", "single_word", "normalized", "special"])
def test_flags_of_added_tokens_are_read(flag: str | None) -> None:
    flags = dict.fromkeys(("rstrip", "lstrip", "single_word", "special"), False)
    flags["normalized"] = True
    if flag is not None:
        flags[flag] = not flags[flag]
    tok = empty(AddedToken("<mask>", **flags))
    [found] = added_tokens(ours_of(tok))
    assert found == {"content": "<mask>", "id": 0, **flags}
    assert added_tokens(pickle.loads(pickle.dumps(ours_of(tok)))) == [found]


@case("tokenizer.Tokenizer.add_tokens", "tokenizer.Tokenizer.add_special_tokens")
def test_tokens_can_be_added() -> None:
    for method, kept in (("add_tokens", [True, False]), ("add_special_tokens", [False, True])):
        fast = accelerated(tokenizers.Tokenizer(models.BPE()))
        add = getattr(fast.backend_tokenizer, method)
        assert add(["my", "name", "is", "john"]) == 4
        fast(JOHN)
        quick = AddedToken("quick", normalized=kept[1])
        assert add([AddedToken("the"), quick, AddedToken("")]) == 2
        assert tokens(fast, f"the quick {JOHN}") == ["the", "quick", *ADDED[:4]]
        found = [token["normalized"] for token in added_tokens(fast._subword.engine)[-2:]]
        assert found == kept


@case(
    "tokenizer.Tokenizer.add_tokens_with_normalizer",
    "tokenizer.Tokenizer.normalizer_change_refreshes_added_tokens",
)
def test_added_tokens_are_normalized_as_the_normalizer_is() -> None:
    tok = empty()
    tok.normalizer, tok.decoder = normalizers.ByteLevel(), decoders.ByteLevel()
    new = [AddedToken("Začnimo", normalized=False, special=True), AddedToken("kuća")]
    tok.add_tokens([*new, AddedToken("međa")])
    fast = accelerated(tok)
    ids = fast("Začnimokuća međa")["input_ids"]
    assert fast.decode(ids) == "Za\rnimokućameđa"
    contents = [fast.added_tokens_decoder[id].content for id in ids]
    assert contents == ["Začnimo", "kuća", "međa"]

    tok = empty("kuća", "međa")
    tok.decoder = decoders.ByteLevel()
    fast = accelerated(tok)
    fast.backend_tokenizer.normalizer = normalizers.ByteLevel()
    assert fast.decode(fast("kuća međa")["input_ids"]) == "kućameđa"
    fast.backend_tokenizer.normalizer = None
    assert fast.decode(fast("kuća međa")["input_ids"]) == "ku\x07ame\x11a"
    assert not fast.fallbacks


# Encoding


@case("tokenizer.Tokenizer.has_expected_type_and_methods")
def test_a_tokenizer_has_its_methods_and_pickles() -> None:
    fast = accelerated(empty())
    for name in ("get_vocab", "encode", "decode", "batch_decode", "add_tokens", "tokenize"):
        assert callable(getattr(fast, name))
    assert len(fast.get_vocab()) == len(fast) == fast.num_special_tokens_to_add() == 0
    backend = fast.backend_tokenizer
    assert isinstance(backend.model, models.BPE)
    assert (backend.normalizer, backend.pre_tokenizer) == (None, None)
    assert backend.decoder is None
    assert type(pickle.loads(pickle.dumps(fast))) is type(fast)


@case("tokenizer.Tokenizer.encode")
def test_texts_pairs_and_words_are_encoded() -> None:
    fast = accelerated(empty(*ADDED))
    assert tokens(fast, JOHN) == ADDED[:4]
    assert tokens(fast, JOHN, "pair") == ADDED
    assert tokens(fast, JOHN.split(), is_split_into_words=True) == ADDED[:4]
    encoding = fast(JOHN, "pair").encodings[0]
    names = ("ids", "type_ids", "offsets", "word_ids", "special_tokens_mask", "attention_mask")
    assert all(type(getattr(encoding, name)) is list for name in (*names, "overflowing"))
    assert isinstance(pickle.loads(pickle.dumps(encoding)), tokenizers.Encoding)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert encoding.words == encoding.word_ids
    assert [len(row) for row in fast([JOHN, "pair"])["input_ids"]] == [4, 1]


@case("tokenizer.Tokenizer.encode_formats")
def test_batches_come_in_many_forms() -> None:
    john, georges = (
        ["[CLS]", *ADDED[:4], "[SEP]"],
        ["[CLS]", "my", "name", "is", "georges", "[SEP]"],
    )
    fast = bert()
    rows = [["My", "name", "is", "John"], ["My", "name", "is", "Georges"]]
    texts = [" ".join(row) for row in rows]
    pairs = [(text, "pair") for text in texts]
    words = [(row, ["pair"]) for row in rows]
    split = {"is_split_into_words": True}
    many: list[tuple[Any, dict[str, Any]]] = [
        (texts, {}),
        (tuple(texts), {}),
        (rows, split),
        (tuple(map(tuple, rows)), split),
    ]
    for batch, options in many:
        found = fast(batch, **options)
        assert [found.tokens(row) for row in (0, 1)] == [john, georges]
    tails = [[*john, "pair", "[SEP]"], [*georges, "pair", "[SEP]"]]
    for batch, options in [(pairs, {}), (words, split)]:
        found = fast(batch, **options)
        assert [found.tokens(row) for row in (0, 1)] == tails
    inputs = encode_inputs(fast._subword.engine, pairs, special="encode")
    assert inputs["input_ids"].tolist() == fast(pairs, padding=True)["input_ids"]
    assert encode_inputs(
        fast._subword.engine, np.array(texts, dtype=object), special="encode", padding="ragged"
    )["input_ids"].tolist() == [id for row in fast(texts)["input_ids"] for id in row]
    for wrong in ([[JOHN.split()]], 5, [None]):
        with pytest.raises((TypeError, ValueError)):
            fast(wrong)


@case("tokenizer.Tokenizer.encode_add_special_tokens")
def test_special_tokens_are_put_around_a_text_or_not() -> None:
    tok = tokenizers.Tokenizer(models.BPE(*roberta()))
    tok.add_special_tokens(["<s>", "</s>"])
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tok.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    fast, name = accelerated(tok), ["ĠMy", "Ġname", "Ġis", "ĠJohn"]
    assert tokens(fast, "My name is John") == ["<s>", *name, "</s>"]
    assert tokens(fast, "My name is John", add_special_tokens=False) == name


@case("tokenizer.Tokenizer.truncation", "tokenizer.Tokenizer.post_process")
def test_texts_are_truncated_at_either_end() -> None:
    fast = accelerated(empty(*ADDED))
    cut = {"truncation": True, "max_length": 2}
    assert tokens(fast, JOHN, **cut) == ["my", "name"]
    assert tokens(fast, JOHN, "pair", **cut) == ["my", "pair"]
    ours = ours_of(empty(*ADDED, special=("[PAD]",)))
    rows: list[tuple[list[Any], list[int]]]
    rows = [([JOHN], [1, 2, 0, 0]), ([(JOHN, "pair")], [1, 5, 0, 0])]
    for texts, expected in rows:
        inputs = encode_inputs(ours, texts, max_length=2, pad_to_multiple_of=4)
        assert inputs["input_ids"].tolist() == [expected]
    fast.truncation_side = "left"
    assert tokens(fast, JOHN, **cut) == ["is", "john"]
    assert tokens(fast, JOHN, "pair", **cut) == ["john", "pair"]


@case("tokenizer.Tokenizer.padding")
def test_rows_are_padded() -> None:
    fast = accelerated(empty(*ADDED, special=("[PAD]",)), pad_token="[PAD]")
    assert tokens(fast, "my name", padding=True) == ["my", "name"]
    assert [len(row) for row in fast(["my name", JOHN], padding=True)["input_ids"]] == [4, 4]
    fixed = {"padding": "max_length", "max_length": 4}
    assert tokens(fast, "my name", **fixed) == ["my", "name", "[PAD]", "[PAD]"]
    assert tokens(fast, "my name", "pair", **fixed) == ["my", "name", "pair", "[PAD]"]


@case("tokenizer.Tokenizer.multithreaded_concurrency")
def test_threads_share_a_tokenizer() -> None:
    tok = ours_of(empty(*ADDED))
    batches = [[f"my name is {name} " * 50] * 20 for name in ("john", "my", "pair")]
    expected = [tok.encode_batch(batch) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(tok.encode_batch, batches * 10))
    assert found == expected * 10


@case("tokenizer.Tokenizer.unigram_byte_fallback")
def test_unigram_falls_back_to_bytes() -> None:
    pieces = [("A", -0.03), ("sen", -0.02), ("te", -0.03), ("n", -0.04), ("ce", -0.05)]
    pieces += [(f"<0x{byte:02X}>", -0.06) for byte in "🤗".encode()]
    vocab = [("<unk>", 0.0), *pieces, (" ", -0.4)]
    start = ["A", " ", "sen", "te", "n", "ce", " "]
    for falls, ids, names in [
        (False, [0], ["🤗"]),
        (True, [6, 7, 8, 9], [piece for piece, _ in pieces[5:]]),
    ]:
        fast = accelerated(tokenizers.Tokenizer(models.Unigram(vocab, 0, byte_fallback=falls)))
        assert fast("A sentence 🤗")["input_ids"] == [1, 10, 2, 3, 4, 5, 10, *ids]
        assert tokens(fast, "A sentence 🤗") == [*start, *names]


@case("tokenizer.Tokenizer.get_vocab", "tokenizer.Tokenizer.get_vocab_size")
def test_the_vocabulary_has_added_tokens() -> None:
    fast = accelerated(empty(*ADDED))
    assert fast.get_vocab() == {"my": 0, "name": 1, "is": 2, "john": 3, "pair": 4}
    assert (len(fast), fast.vocab_size) == (5, 0)
    assert fast.added_tokens_decoder == {id: AddedToken(name) for id, name in enumerate(ADDED)}
    tok = ours_of(empty(*ADDED))
    assert [token["content"] for token in added_tokens(tok)] == ADDED
    assert tok.max_id == 4


@case("tokenizer.Tokenizer.from_pretrained")
def test_a_name_is_loaded_from_the_cache_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "hub" / "models--bert-base-cased"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("abc")
    (folder / "snapshots" / "abc").mkdir(parents=True)
    content = file("vocabs/bert-base-cased/tokenizer.json").read_bytes()
    (folder / "snapshots" / "abc" / "tokenizer.json").write_bytes(content)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    tok = Tokenizer.load("bert-base-cased")
    found = [tok.token_bytes(id) for id in tok.encode("Hey there dear friend!")]
    assert found == [b"Hey", b"there", b"dear", b"friend", b"!"]


@case("tokenizer.Tokenizer.weakref_support", "tokenizer.Tokenizer.weakref_with_multiple_references")
def test_tokenizers_can_be_referred_to_weakly() -> None:
    for make in (lambda: ours_of(empty(*ADDED)), lambda: accelerated(empty(*ADDED))):
        tok = make()
        other, reference = tok, weakref.ref(tok)
        assert reference() is tok
        del tok
        assert reference() is other
        del other
        gc.collect()
        assert reference() is None


@pytest.mark.filterwarnings("ignore:subword does not decode these ids")
@case("tokenizer.Tokenizer.setting_to_none", "implementations.BaseTokenizer.get_set_components")
def test_components_can_be_set_and_taken_away() -> None:
    fast = accelerated(empty())
    backend = fast.backend_tokenizer
    new: list[tuple[str, Any]] = [
        ("normalizer", normalizers.Lowercase()),
        ("pre_tokenizer", pre_tokenizers.Metaspace()),
        ("decoder", decoders.WordPiece()),
        ("model", models.WordLevel({"▁": 0, "▁x": 1, "x": 2}, unk_token="x")),
        ("normalizer", None),
        ("pre_tokenizer", None),
        ("pre_tokenizer", pre_tokenizers.Whitespace()),
    ]
    for field, component in new:
        setattr(backend, field, component)
        theirs = tokenizers.Tokenizer.from_str(backend.to_str())
        for text in (JOHN, "MY x", ""):
            assert fast(text)["input_ids"] == theirs.encode(text).ids
        assert fast.decode([1, 2]) == theirs.decode([1, 2])
    assert fast.fallbacks.keys() <= {"decode"}  # ids that the empty model has not


@case("serialization.Serialization.full_serialization_albert")
def test_a_large_file_is_read() -> None:
    pieces = [["<unk>", 0.0], *([f"▁piece{n}", -float(n)] for n in range(30_000))]
    model = {"type": "Unigram", "unk_id": 0, "vocab": pieces}
    names = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    content = json.dumps({"added_tokens": [], "model": model} | dict.fromkeys(names))
    assert len(content) > 500_000
    assert Tokenizer.load(content.encode()).encode("▁piece7") == [8]


# Decoding


@case("tokenizer.Tokenizer.decode", "tokenizer.Tokenizer.decode_special")
def test_ids_are_decoded_whole_and_one_by_one() -> None:
    fast = accelerated(empty(*ADDED))
    assert fast.decode([0, 1, 2, 3]) == JOHN
    assert fast.batch_decode([[0, 1, 2, 3], [4]]) == [JOHN, "pair"]
    decoder = Decoder(ours_of(empty(*ADDED)))
    assert [decoder.push(id) for id in range(4)] == ["my", " name", " is", " john"]
    tok = empty(AddedToken("my", special=True), *ADDED[1:])
    fast = accelerated(tok)
    assert fast.decode([0, 1, 2, 3], skip_special_tokens=False) == JOHN
    assert fast.decode([0, 1, 2, 3], skip_special_tokens=True) == "name is john"
    assert fast.added_tokens_decoder[0] == AddedToken("my", special=True)
    assert not fast.fallbacks


@case("tokenizer.Tokenizer.decode_stream_copy_and_prefix_ids")
def test_a_decoder_can_be_copied_on_the_way() -> None:
    decoder = Decoder(ours_of(empty(*ADDED)))
    assert [decoder.push(id) for id in (0, 1)] == ["my", " name"]
    other = copy.copy(decoder)
    for id, text in ((2, " is"), (3, " john")):
        assert decoder.push(id) == other.push(id) == text


@case("tokenizer.Tokenizer.decode_stream")
def test_a_decoder_waits_for_whole_characters() -> None:
    vocab = [("<unk>", 0.0), ("<0x20>", -0.1), ("<0xC3>", -0.2), ("<0xA9>", -0.3)]
    tok = tokenizers.Tokenizer(models.Unigram(vocab, 0, byte_fallback=True))
    tok.decoder = decoders.ByteFallback()
    decoder = Decoder(ours_of(tok))
    assert [decoder.push(id) for id in (1, 2, 3)] == [" ", "", "é"]
    pieces = [("<unk>", 0.0), ("▁This", -0.1)]
    tok = tokenizers.Tokenizer(models.Unigram(pieces, 0, byte_fallback=False))
    tok.decoder = decoders.Metaspace()
    decoder = Decoder(ours_of(tok))
    assert [decoder.push(1), decoder.push(1)] == ["This", " This"]


@case("tokenizer.Tokenizer.decode_stream_fallback")
def test_a_decoder_joins_the_bytes_of_thai() -> None:
    tok = Tokenizer.load(file("vocabs/gpt2/tokenizer.json"))
    ids = [19567, 255, 19567, 109]
    assert tok.encode("อั") == ids
    decoder = Decoder(tok)
    assert [decoder.push(id) for id in ids] == ["", "อ", "", "ั"]
    assert decoder.finish() == ""


@case("tokenizer.Tokenizer.decode_skip_special_tokens")
def test_a_decoder_goes_on_after_a_prompt() -> None:
    """GPT-4's vocabulary has the ids of Llama 3's that their test looks at."""
    tok = Tokenizer.load(file("vocabs/cl100k_base.tiktoken"))
    decoder = Decoder(tok, skip_special_tokens=True)
    prompt = [tok.special_tokens["<|endoftext|>"], 38766, 1303, 33025, 2696, 25, 271, 40]
    assert "".join(map(decoder.push, prompt)).endswith("\n\nI")
    assert [decoder.push(id) for id in (2846, 40, 40, 40)] == ["'m", "I", "I", "I"]


# Beside other threads, processes and an event loop


def _encode(tok: Any, found: Any) -> None:
    found.put((tok.encode("my name"), tok.encode_batch(["my", "name pair"])))


@case(
    "tokenizer.Tokenizer.multiprocessing_with_parallelism",
    "implementations.BertWordPieceTokenizer.multiprocessing_with_parallelism",
    "implementations.ByteLevelBPE.multiprocessing_with_parallelism",
    "implementations.CharBPETokenizer.multiprocessing_with_parallelism",
)
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("kind", ["empty", "bert", "bytes", "characters"])
def test_a_forked_process_goes_on_encoding(kind: str) -> None:
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork on this system")
    tok = {
        "empty": lambda: ours_of(empty(*ADDED)),
        "bert": lambda: published_pair("bert-base-uncased")[1],
        "bytes": lambda: ours_of(trained("ByteLevelBPETokenizer")),
        "characters": lambda: ours_of(trained("CharBPETokenizer")),
    }[kind]()
    expected = tok.encode("my name"), tok.encode_batch(["my", "name pair"])
    context = multiprocessing.get_context("fork")
    found: Any = context.SimpleQueue()
    process = context.Process(target=_encode, args=(tok, found))
    process.start()
    process.join(timeout=60)
    assert process.exitcode == 0
    assert found.get() == expected


def trained(name: str, **options: Any) -> tokenizers.Tokenizer:
    """A tokenizer of one of their classes, trained on three sentences."""
    made: Any = getattr(tokenizers, name)()
    texts = ["A first sentence", "Another sentence", "And a last one"]
    made.train_from_iterator(texts, show_progress=False, **options)
    return made._tokenizer  # type: ignore[no-any-return]


@case(
    "tokenizer.AsyncTokenizer.basic_encoding",
    "tokenizer.AsyncTokenizer.encode",
    "tokenizer.AsyncTokenizer.with_special_tokens",
    "tokenizer.AsyncTokenizer.with_truncation_padding",
    "tokenizer.AsyncTokenizer.various_input_formats",
    "tokenizer.AsyncTokenizer.concurrency",
    "tokenizer.AsyncTokenizer.large_batch",
    "tokenizer.AsyncTokenizer.numpy_inputs",
)
@pytest.mark.parametrize(
    ("batch", "options"),
    [
        (["my name is john", "my pair"], {}),
        ([("my name", "is john"), ("my", "pair")], {}),
        ("my name is john", {}),
        (["my name is john", "my pair"], {"add_special_tokens": False}),
        (["my name is john", "pair"], {"truncation": True, "max_length": 2, "padding": True}),
        (("my name", "is john"), {}),
        (["my name is john " * 50] * 20, {}),
        (["my name is john"] * 1000, {}),
        ([["my", "name"], ["is", "john"]], {"is_split_into_words": True}),
    ],
)
def test_an_event_loop_goes_on_while_threads_encode(batch: Any, options: Any) -> None:
    fast = bert()
    expected = fast(batch, **options).data

    async def three() -> list[Any]:
        calls = (asyncio.to_thread(fast, batch, **options) for _ in range(3))
        return await asyncio.gather(*calls)

    assert [found.data for found in asyncio.run(three())] == [expected] * 3


@case("tokenizer.AsyncTokenizer.error_handling", "tokenizer.AsyncTokenizer.decode")
def test_threads_hand_back_errors_and_texts() -> None:
    tok = ours_of(empty(*ADDED))

    async def answers() -> Any:
        with pytest.raises(TypeError):
            await asyncio.to_thread(tok.encode_batch, 123)  # type: ignore[arg-type]
        return await asyncio.to_thread(tok.decode_batch, [[0, 1, 2, 3], [4]])

    assert asyncio.run(answers()) == [JOHN, "pair"]


@case(
    "freethreaded.EncodeUnderConcurrentSetters.encode_while_swapping_post_processor",
    "freethreaded.EncodeUnderConcurrentSetters.encode_while_mutating_trainer_fields",
    "freethreaded.EncodeUnderConcurrentSetters.concurrent_setters_no_lock_poisoning",
)
@pytest.mark.parametrize("field", ["post_processor", "decoder", "pre_tokenizer"])
def test_a_tokenizer_encodes_while_it_is_changed(field: str) -> None:
    tok = empty(*ADDED)
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = accelerated(tok)
    choices: dict[str, list[Any]] = {
        "post_processor": [processors.ByteLevel(trim_offsets=trim) for trim in (True, False)],
        "decoder": [decoders.Fuse(), decoders.WordPiece()],
        "pre_tokenizer": [pre_tokenizers.Whitespace(), pre_tokenizers.WhitespaceSplit()],
    }
    done = threading.Event()

    def change() -> int:
        count = 0
        while not done.is_set():
            setattr(fast.backend_tokenizer, field, choices[field][count % 2])
            count += 1
        return count

    with ThreadPoolExecutor(4) as pool:
        changes = pool.submit(change)
        try:
            rows = pool.map(lambda _: fast([JOHN, "pair"])["input_ids"], range(40))
            assert all(row == [[0, 1, 2, 3], [4]] for row in rows)
        finally:
            done.set()
        assert changes.result() > 0


# What their classes make


@case("implementations.BertWordPieceTokenizer.basic_encode")
def test_bert_gives_ids_tokens_offsets_and_types() -> None:
    options = {"return_offsets_mapping": True, "return_token_type_ids": True}
    found = bert()("My name is John", "pair", **options)
    assert found["input_ids"] == [101, 2026, 2171, 2003, 2198, 102, 3940, 102]
    assert found.tokens() == ["[CLS]", *ADDED[:4], "[SEP]", "pair", "[SEP]"]
    places = [(0, 2), (3, 7), (8, 10), (11, 15)]
    assert found["offset_mapping"] == [(0, 0), *places, (0, 0), (0, 4), (0, 0)]
    assert found["token_type_ids"] == [0] * 6 + [1, 1]
    found = bert()("My name is John", "pair", add_special_tokens=False, **options)
    assert found["input_ids"] == [2026, 2171, 2003, 2198, 3940]
    assert found["offset_mapping"] == [*places, (0, 4)]
    assert found["token_type_ids"] == [0, 0, 0, 0, 1]


FOX = "The quick brown fox jumps over the lazy dog"


@case(
    "implementations.ByteLevelBPE.basic_encode",
    "implementations.ByteLevelBPE.add_prefix_space",
    "implementations.ByteLevelBPE.lowerspace",
)
@pytest.mark.parametrize(
    ("options", "text", "first", "token"),
    [
        ({}, FOX, 133, "The"),
        ({"add_prefix_space": True}, FOX, 20, "ĠThe"),
        ({"add_prefix_space": True, "lowercase": True}, FOX.title(), 5, "Ġthe"),
    ],
)
def test_byte_level_bpe_gives_ids_tokens_and_offsets(
    options: dict[str, bool], text: str, first: int, token: str
) -> None:
    fast = byte_level(**options)
    found = fast(text, return_offsets_mapping=True)
    assert found["input_ids"] == [first, 2119, 6219, 23602, 13855, 81, 5, 22414, 2335]
    assert found.tokens() == [token, *(f"Ġ{word}" for word in FOX.split()[1:])]
    ends = [3, 9, 15, 19, 25, 30, 34, 39, 43]
    assert found["offset_mapping"] == list(zip([0, *ends], ends, strict=False))
    assert not fast.fallbacks


@case(
    "implementations.BertWordPieceTokenizer.train_from_iterator",
    "implementations.ByteLevelBPE.train_from_iterator",
    "implementations.CharBPETokenizer.train_from_iterator",
    "implementations.SentencePieceBPE.train_from_iterator",
    "implementations.SentencePieceUnigram.train_from_iterator",
)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("BertWordPieceTokenizer", ["a", "sentence"]),
        ("ByteLevelBPETokenizer", ["A", "Ġsentence"]),
        ("CharBPETokenizer", ["A</w>", "sentence</w>"]),
        ("SentencePieceBPETokenizer", ["▁A", "▁sentence"]),
        ("SentencePieceUnigramTokenizer", ["▁A", "▁", "s", "en", "t", "en", "c", "e"]),
    ],
)
def test_what_their_classes_train_runs_here(name: str, expected: list[str]) -> None:
    tok = trained(name)
    ours = ours_of(tok)
    names = {id: token for token, id in tok.get_vocab().items()}
    assert [names[id] for id in ours.encode("A sentence", special="encode")] == expected
    assert chains.differences(ours, tok, "A sentence and another one") is None
    if name == "SentencePieceUnigramTokenizer":
        with pytest.raises(SubwordError, match="no token"):
            ours.encode("A sentence 🤗")


@case(
    "implementations.SentencePieceUnigram.train",
    "implementations.SentencePieceUnigram.train_with_unk_token",
    "implementations.SentencePieceUnigram.train_from_iterator_with_unk_token",
)
@pytest.mark.parametrize("size", [{}, {"vocab_size": 100}])
def test_unigram_models_with_an_unknown_token_run_here(
    size: dict[str, int], tmp_path: Path
) -> None:
    (tmp_path / "file.txt").write_text("A first sentence\nAnother sentence\nAnd a last one")
    unknown = {"special_tokens": ["<unk>"], "unk_token": "<unk>", "show_progress": False}
    made = tokenizers.SentencePieceUnigramTokenizer()
    made.train(str(tmp_path / "file.txt"), **size, **unknown)
    fast = accelerated(made._tokenizer)
    assert fast("A sentence 🤗")["input_ids"][-1] == 0
    assert tokens(fast, "A sentence 🤗") == [
        "▁A",
        "▁",
        *["s", "en", "t", "en", "c", "e"],
        "▁",
        "🤗",
    ]
