"""Components: the tests of Hugging Face's tokenizers, as files that our engine runs.

`tests.support.suite` names their tests. A component that can be made there is one that our engine
loads and runs with the same result; a setting that can be changed there is followed by an
accelerated tokenizer. What texts become is what their tests expect.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from subword import ModelFormatError, Tokenizer
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from tests.support import chains
from tests.support.suite import LEFT_OUT, NAMES, PORTED, case, ported

TEXTS = [
    "Hey friend!     How are you?!?",
    "  My name is_John-_911 ",
    "Héllò 你好\ufeff low",
    "/test/ something @ test",
]
ALPHABET = pre_tokenizers.ByteLevel.alphabet()
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
CHARACTERS = sorted({*ALPHABET, *"▁", *"".join(TEXTS), *"".join(TEXTS).lower()})
VOCAB = {
    token: id
    for id, token in enumerate(["<unk>", "<s>", "</s>", *CHARACTERS, "lo", "low", "▁n", *BYTES])
}
MERGES = [("l", "o"), ("lo", "w"), ("▁", "n")]

TEXTS.append("日 low 日日")  # characters that no token has

Part = dict[str, Any]


def file_of(parts: dict[str, Any]) -> dict[str, Any]:
    """A file with a small BPE model, where ``parts`` do not say otherwise."""
    model = {"type": "BPE", "unk_token": "<unk>", "vocab": VOCAB, "merges": MERGES}
    names = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    return {"version": "1.0", "added_tokens": [], "model": model} | dict.fromkeys(names) | parts


def words(*tokens: str) -> Part:
    """A model whose tokens are whole words."""
    vocab = {token: id for id, token in enumerate(dict.fromkeys(["<unk>", *tokens]))}
    return {"type": "WordLevel", "unk_token": "<unk>", "vocab": vocab}


def check(parts: dict[str, Any], folder: Path) -> None:
    """Our engine loads a file, gives the same as theirs, and survives pickling and saving."""
    file = file_of(parts)
    ours, theirs = chains.ours_of(file, folder), chains.theirs_of(file)
    ours.save(folder / "ours.json")
    for tok in (ours, pickle.loads(pickle.dumps(ours)), Tokenizer.load(folder / "ours.json")):
        assert tok == ours
        for text in TEXTS:
            assert chains.differences(tok, theirs, text) is None
            expected = theirs.encode(text).ids
            assert tok.encode(text, special="encode", add_special_tokens=True) == expected


def state(component: Any) -> Part:
    """A component of their library, as its file has it."""
    return json.loads(component.__getstate__())  # type: ignore[no-any-return]


ENDS = (("</s>", 2), ("<s>", 1))
TEMPLATE = processors.TemplateProcessing(
    single=["<s>", "$0", "</s>"],
    pair=["<s>", "$A", "</s>", "$B:1", "</s>:1"],
    special_tokens=[("<s>", 1), ("</s>", 2)],
)
#: What can be made, by the name of the test.
MADE: dict[str, list[Any]] = {
    "decoders.ByteLevel.instantiate": [decoders.ByteLevel()],
    "decoders.Replace.instantiate": [decoders.Replace("_", " ")],
    "decoders.WordPiece.instantiate": [
        decoders.WordPiece(),
        decoders.WordPiece(prefix="__"),
        decoders.WordPiece(cleanup=True),
    ],
    "decoders.ByteFallback.instantiate": [decoders.ByteFallback()],
    "decoders.Fuse.instantiate": [decoders.Fuse()],
    "decoders.Strip.instantiate": [
        decoders.Strip(left=0, right=0),
        decoders.Strip(content="_", left=0, right=0),
    ],
    "decoders.Metaspace.instantiate": [
        decoders.Metaspace(),
        decoders.Metaspace(replacement="-"),
        decoders.Metaspace(prepend_scheme="always"),
    ],
    "decoders.BPEDecoder.instantiate": [decoders.BPEDecoder(), decoders.BPEDecoder(suffix="_")],
    "decoders.CTCDecoder.instantiate": [decoders.CTC(), decoders.CTC(pad_token="[PAD]")],
    "decoders.SequenceDecoder.instantiate": [
        decoders.Sequence([]),
        decoders.Sequence([decoders.CTC()]),
    ],
    "decoders.ByteLevel.manual_reload": [decoders.ByteLevel()],
    "normalizers.BertNormalizer.instantiate": [normalizers.BertNormalizer()],
    "normalizers.Sequence.instantiate": [normalizers.Sequence([])],
    "normalizers.Lowercase.instantiate": [normalizers.Lowercase()],
    "normalizers.Strip.instantiate": [normalizers.Strip()],
    "normalizers.Prepend.instantiate": [normalizers.Prepend("▁")],
    "pre_tokenizers.ByteLevel.instantiate": [
        pre_tokenizers.ByteLevel(),
        pre_tokenizers.ByteLevel(add_prefix_space=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
    ],
    "pre_tokenizers.ByteLevel.manual_reload": [pre_tokenizers.ByteLevel()],
    "pre_tokenizers.Split.instantiate": [
        pre_tokenizers.Split(" ", "removed"),
        pre_tokenizers.Split(" ", "isolated", invert=True),
        pre_tokenizers.Split(" ", "removed", invert=True),
    ],
    "pre_tokenizers.Whitespace.instantiate": [pre_tokenizers.Whitespace()],
    "pre_tokenizers.WhitespaceSplit.instantiate": [pre_tokenizers.WhitespaceSplit()],
    "pre_tokenizers.BertPreTokenizer.instantiate": [pre_tokenizers.BertPreTokenizer()],
    "pre_tokenizers.Metaspace.instantiate": [
        pre_tokenizers.Metaspace(),
        pre_tokenizers.Metaspace(replacement="-"),
        pre_tokenizers.Metaspace(prepend_scheme="always"),
    ],
    "pre_tokenizers.CharDelimiterSplit.instantiate": [
        pre_tokenizers.CharDelimiterSplit("-"),
        pre_tokenizers.CharDelimiterSplit(" "),
    ],
    "pre_tokenizers.Punctuation.instantiate": [
        pre_tokenizers.Punctuation(),
        pre_tokenizers.Punctuation("removed"),
    ],
    "pre_tokenizers.Sequence.instantiate": [pre_tokenizers.Sequence([])],
    "pre_tokenizers.Digits.instantiate": [
        pre_tokenizers.Digits(),
        pre_tokenizers.Digits(True),
        pre_tokenizers.Digits(False),
    ],
    "pre_tokenizers.FixedLength.instantiate": [pre_tokenizers.FixedLength()],
    "pre_tokenizers.UnicodeScripts.instantiate": [pre_tokenizers.UnicodeScripts()],
    "processors.BertProcessing.instantiate": [processors.BertProcessing(*ENDS)],
    "processors.RobertaProcessing.instantiate": [processors.RobertaProcessing(*ENDS)],
    "processors.ByteLevelProcessing.instantiate": [
        processors.ByteLevel(),
        processors.ByteLevel(trim_offsets=True),
        processors.ByteLevel(add_prefix_space=True),
    ],
    "processors.ByteLevelProcessing.manual_reload": [processors.ByteLevel()],
    "processors.TemplateProcessing.instantiate": [TEMPLATE],
    "processors.SequenceProcessing.sequence_processing": [
        processors.Sequence([]),
        processors.Sequence([processors.ByteLevel()]),
    ],
    "models.WordPiece.instantiate": [models.WordPiece(VOCAB, unk_token="<unk>")],
    "models.WordLevel.instantiate": [models.WordLevel(VOCAB, unk_token="<unk>")],
    "models.BPE.dropout_zero": [models.BPE(VOCAB, [], dropout=0.0, unk_token="<unk>")],
    "models.Unigram.alpha_zero": [
        models.Unigram([(token, -1.0) for token in VOCAB], 0, byte_fallback=False, alpha=0.0)
    ],
}
FIELDS = {
    "decoders": "decoder",
    "normalizers": "normalizer",
    "pre_tokenizers": "pre_tokenizer",
    "processors": "post_processor",
    "models": "model",
}


@pytest.mark.parametrize("name", ported(MADE))
def test_what_can_be_made_there_runs_here(name: str, tmp_path: Path) -> None:
    for component in MADE[name]:
        check({FIELDS[name.partition(".")[0]]: state(component)}, tmp_path)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("decoder", {"type": "Metaspace", "replacement": ""}),
        ("pre_tokenizer", {"type": "Metaspace", "replacement": ""}),
        ("pre_tokenizer", {"type": "CharDelimiterSplit", "delimiter": ""}),
        ("post_processor", state(TEMPLATE) | {"special_tokens": {}}),
        ("post_processor", state(TEMPLATE) | {"single": [{"Sequence": {"id": "$", "type_id": 0}}]}),
    ],
)
def test_what_cannot_be_made_there_is_refused_here(field: str, wrong: Part, tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError):
        chains.ours_of(file_of({field: wrong}), tmp_path)


JOHN = "My name is John"
#: Tokens and the text that a decoder makes of them.
DECODED: dict[str, list[tuple[Any, list[str], str]]] = {
    "decoders.ByteLevel.decoding": [
        (decoders.ByteLevel(), ["My", "Ġname", "Ġis", "ĠJohn"], JOHN),
    ],
    "decoders.Replace.decoding": [
        (decoders.Replace("_", " "), ["My", "_name", "_is", "_John"], JOHN)
    ],
    "decoders.WordPiece.decoding": [
        (decoders.WordPiece(), ["My", "na", "##me", "is", "Jo", "##hn"], JOHN),
        (decoders.WordPiece(), ["I", "'m", "Jo", "##hn"], "I'm John"),
        (
            decoders.WordPiece(prefix="__", cleanup=False),
            ["My", "na", "__me", "is", "Jo", "__hn"],
            JOHN,
        ),
        (decoders.WordPiece(prefix="__", cleanup=False), ["I", "'m", "Jo", "__hn"], "I 'm John"),
    ],
    "decoders.ByteFallback.decoding": [
        (decoders.ByteFallback(), tokens, text)
        for tokens, text in [
            (["My", " na", "me"], "My name"),
            (["<0x61>"], "a"),
            (["<0xE5>"], "\ufffd"),
            (["<0xE5>", "<0x8f>"], "\ufffd\ufffd"),
            (["<0xE5>", "<0x8f>", "<0xab>"], "叫"),
            (["<0xE5>", "<0x8f>", "a"], "\ufffd\ufffda"),
            (["<0xE5>", "<0x8f>", "<0xab>", "a"], "叫a"),
        ]
    ],
    "decoders.Fuse.decoding": [(decoders.Fuse(), ["My", " na", "me"], "My name")],
    "decoders.Strip.decoding": [
        (
            decoders.Strip(content="_", left=1, right=0),
            ["_My", " na", "me", " _-", "__-"],
            "My name _-_-",
        )
    ],
    "decoders.Metaspace.decoding": [
        (decoders.Metaspace(), ["▁My", "▁name", "▁is", "▁John"], JOHN),
        (
            decoders.Metaspace(replacement="-", prepend_scheme="never"),
            ["-My", "-name", "-is", "-John"],
            f" {JOHN}",
        ),
    ],
    "decoders.BPEDecoder.decoding": [
        (decoders.BPEDecoder(), ["My</w>", "na", "me</w>", "is</w>", "Jo", "hn</w>"], JOHN),
        (decoders.BPEDecoder(suffix="_"), ["My_", "na", "me_", "is_", "Jo", "hn_"], JOHN),
    ],
    "decoders.CTCDecoder.decoding": [
        (
            decoders.CTC(pad_token=pad),
            [pad, pad, *"heell", pad, *"looo", pad],
            "hello",
        )
        for pad in ("<pad>", "[PAD]")
    ],
    "decoders.SequenceDecoder.decoding": [
        (decoders.Sequence([decoders.CTC(), decoders.Metaspace()]), list("▁▁HHii▁you"), "Hi you")
    ],
}


@pytest.mark.parametrize("name", ported(DECODED))
def test_tokens_are_decoded(name: str, tmp_path: Path) -> None:
    for decoder, tokens, text in DECODED[name]:
        model = words(*tokens)
        tok = chains.ours_of(file_of({"model": model, "decoder": state(decoder)}), tmp_path)
        assert tok.decode([model["vocab"][token] for token in tokens]) == text


OFF = dict.fromkeys(("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"), False)
#: Texts, and what a normalizer makes of them.
NORMALIZED: dict[str, tuple[Any, str, str]] = {
    "normalizers.BertNormalizer.strip_accents": (
        normalizers.BertNormalizer(**OFF | {"strip_accents": True}),
        "Héllò",
        "Hello",
    ),
    "normalizers.BertNormalizer.handle_chinese_chars": (
        normalizers.BertNormalizer(**OFF | {"handle_chinese_chars": True}),
        "你好",
        " 你  好 ",
    ),
    "normalizers.BertNormalizer.clean_text": (
        normalizers.BertNormalizer(**OFF | {"clean_text": True}),
        "\ufeffHello",
        "Hello",
    ),
    "normalizers.BertNormalizer.lowercase": (
        normalizers.BertNormalizer(**OFF | {"lowercase": True}),
        "Héllò",
        "héllò",
    ),
    "normalizers.Sequence.can_make_sequences": (
        normalizers.Sequence([normalizers.Lowercase(), normalizers.Strip()]),
        "  HELLO  ",
        "hello",
    ),
    "normalizers.Lowercase.lowercase": (normalizers.Lowercase(), "HELLO", "hello"),
    "normalizers.Strip.left_strip": (normalizers.Strip(right=False), "  hello  ", "hello  "),
    "normalizers.Strip.right_strip": (normalizers.Strip(left=False), "  hello  ", "  hello"),
    "normalizers.Strip.full_strip": (normalizers.Strip(), "  hello  ", "hello"),
    "normalizers.Prepend.prepend": (normalizers.Prepend("▁"), "hello", "▁hello"),
}


@pytest.mark.parametrize("name", ported(NORMALIZED))
def test_texts_are_normalized(name: str, tmp_path: Path) -> None:
    normalizer, text, expected = NORMALIZED[name]
    model = words(expected)
    tok = chains.ours_of(file_of({"model": model, "normalizer": state(normalizer)}), tmp_path)
    assert tok.encode(text) == [model["vocab"][expected]]


#: Texts, and the pieces that they are cut into, with their places.
CUT: dict[str, list[tuple[Any, str, list[tuple[str, tuple[int, int]]]]]] = {
    "pre_tokenizers.Sequence.bert_like": [
        (
            pre_tokenizers.Sequence(
                [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]
            ),
            "Hey friend!     How are you?!?",
            [
                ("Hey", (0, 3)),
                ("friend", (4, 10)),
                ("!", (10, 11)),
                ("How", (16, 19)),
                ("are", (20, 23)),
                ("you", (24, 27)),
                ("?", (27, 28)),
                ("!", (28, 29)),
                ("?", (29, 30)),
            ],
        )
    ],
    "pre_tokenizers.FixedLength.pre_tokenize_str": [
        (
            pre_tokenizers.FixedLength(length=5),
            "ATCCTGGTACTG",
            [("ATCCT", (0, 5)), ("GGTAC", (5, 10)), ("TG", (10, 12))],
        ),
        (
            pre_tokenizers.FixedLength(length=10),
            "ATCCTGGTACTG",
            [("ATCCTGGTAC", (0, 10)), ("TG", (10, 12))],
        ),
    ],
}


@pytest.mark.parametrize("name", ported(CUT))
def test_texts_are_cut(name: str, tmp_path: Path) -> None:
    for cut, text, pieces in CUT[name]:
        model = words(*(piece for piece, _ in pieces))
        tok = chains.ours_of(file_of({"model": model, "pre_tokenizer": state(cut)}), tmp_path)
        ids, offsets = tok.encode_offsets(text)
        assert ids == [model["vocab"][piece] for piece, _ in pieces]
        assert offsets == [place for _, place in pieces]


@case("pre_tokenizers.ByteLevel.has_alphabet")
def test_the_byte_alphabet_has_all_bytes(tmp_path: Path) -> None:
    Tokenizer({i: bytes([i]) for i in range(256)}, []).save(
        tmp_path / "tokenizer.json", format="huggingface"
    )
    vocab = json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    assert len(vocab) == 256
    assert sorted(vocab) == sorted(ALPHABET)


Change = Callable[[Any], None]


def setting(name: str, *values: Any) -> list[Change]:
    """Changes of one setting of a component."""
    return [lambda part, value=value: setattr(part, name, value) for value in values]  # type: ignore[misc]


def item(index: int, *changes: tuple[str, Any]) -> list[Change]:
    """Changes of the settings of one part of a sequence."""
    return [
        lambda part, name=name, value=value: setattr(part[index], name, value)  # type: ignore[misc]
        for name, value in changes
    ]


def put(index: int, component: Any) -> list[Change]:
    """Another part in a sequence."""
    return [lambda part: part.__setitem__(index, component)]


#: A component, and how it is changed.
CHANGED: dict[str, tuple[Any, list[Change]]] = {
    "decoders.WordPiece.can_modify": (
        decoders.WordPiece(prefix="l", cleanup=False),
        setting("prefix", "o") + setting("cleanup", True),
    ),
    "decoders.Metaspace.can_modify": (
        decoders.Metaspace(replacement="*", prepend_scheme="never"),
        setting("replacement", "_") + setting("prepend_scheme", "first"),
    ),
    "decoders.BPEDecoder.can_modify": (decoders.BPEDecoder(suffix="low"), setting("suffix", "y")),
    "decoders.CTCDecoder.can_modify": (
        decoders.CTC(pad_token="l"),
        setting("pad_token", "e")
        + setting("word_delimiter_token", "_")
        + setting("cleanup", False),
    ),
    "normalizers.BertNormalizer.can_modify": (
        normalizers.BertNormalizer(True, True, True, True),
        setting("clean_text", False)
        + setting("handle_chinese_chars", False)
        + setting("strip_accents", None)
        + setting("lowercase", False),
    ),
    "normalizers.Sequence.set_item": (
        normalizers.Sequence([normalizers.BertNormalizer(), normalizers.Prepend("low")]),
        put(1, normalizers.Strip()),
    ),
    "normalizers.Sequence.item_getters_and_setters": (
        normalizers.Sequence(
            [
                normalizers.BertNormalizer(True, True, True, True),
                normalizers.Strip(),
                normalizers.Prepend("_"),
                normalizers.Replace("something", "else"),
            ]
        ),
        item(0, ("clean_text", False), ("handle_chinese_chars", False), ("strip_accents", False))
        + item(0, ("lowercase", False))
        + item(1, ("left", False), ("right", False))
        + item(2, ("prepend", " "))
        + item(3, ("content", "test")),
    ),
    "normalizers.Strip.can_modify": (
        normalizers.Strip(),
        setting("left", False) + setting("right", False),
    ),
    "normalizers.Prepend.can_modify": (normalizers.Prepend("▁"), setting("prepend", "-")),
    "pre_tokenizers.ByteLevel.can_modify": (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        setting("add_prefix_space", True),
    ),
    "pre_tokenizers.Metaspace.can_modify": (
        pre_tokenizers.Metaspace(replacement="$", prepend_scheme="never"),
        setting("replacement", "▁") + setting("prepend_scheme", "first") + setting("split", False),
    ),
    "pre_tokenizers.CharDelimiterSplit.can_modify": (
        pre_tokenizers.CharDelimiterSplit("@"),
        setting("delimiter", "!"),
    ),
    "pre_tokenizers.Digits.can_modify": (
        pre_tokenizers.Digits(individual_digits=False),
        setting("individual_digits", True),
    ),
    "pre_tokenizers.Sequence.set_item": (
        pre_tokenizers.Sequence(
            [pre_tokenizers.ByteLevel(), pre_tokenizers.Split("/test/", "removed")]
        ),
        put(1, pre_tokenizers.Metaspace()),
    ),
    "pre_tokenizers.Sequence.item_getters_and_setters": (
        pre_tokenizers.Sequence(
            [
                pre_tokenizers.ByteLevel(),
                pre_tokenizers.Split("/test/", "removed"),
                pre_tokenizers.Metaspace("a", "never", split=False),
                pre_tokenizers.CharDelimiterSplit(" "),
                pre_tokenizers.Punctuation("removed"),
                pre_tokenizers.Digits(individual_digits=True),
            ]
        ),
        item(0, ("add_prefix_space", False), ("use_regex", False))
        + item(1, ("behavior", "isolated"), ("invert", True))
        + item(2, ("replacement", " "), ("prepend_scheme", "always"), ("split", True))
        + item(3, ("delimiter", "_"))
        + item(4, ("behavior", "isolated"))
        + item(5, ("individual_digits", False)),
    ),
    "processors.SequenceProcessing.items": (
        processors.Sequence([processors.RobertaProcessing(*ENDS), processors.ByteLevel()]),
        put(0, processors.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False))
        + item(0, ("add_prefix_space", True), ("trim_offsets", True), ("use_regex", True)),
    ),
    "models.BPE.can_modify": (
        models.BPE(VOCAB, MERGES, unk_token="<s>", fuse_unk=False),
        setting("unk_token", "<unk>") + setting("fuse_unk", True) + setting("byte_fallback", True),
    ),
    "models.WordPiece.can_modify": (
        models.WordPiece(VOCAB, unk_token="<s>", max_input_chars_per_word=200),
        setting("unk_token", "<unk>")
        + setting("continuing_subword_prefix", "")
        + setting("max_input_chars_per_word", 3),
    ),
    "models.WordLevel.can_modify": (
        models.WordLevel(VOCAB, unk_token="<s>"),
        setting("unk_token", "<unk>"),
    ),
}


@pytest.mark.parametrize("name", ported(CHANGED))
def test_what_is_changed_there_is_followed(name: str) -> None:
    transformers = pytest.importorskip("transformers")
    from subword.integrations.transformers import accelerate

    component, changes = CHANGED[name]
    field = FIELDS[name.partition(".")[0]]
    backend = tokenizers.Tokenizer.from_str(json.dumps(file_of({})))
    setattr(backend, field, component)
    ours = accelerate(transformers.PreTrainedTokenizerFast(tokenizer_object=backend))
    ids = [VOCAB[token] for token in ["lo", "low", "▁n", *CHARACTERS]]
    answers = []
    for change in [lambda part: None, *changes]:
        change(getattr(ours.backend_tokenizer, field))
        file = ours.backend_tokenizer.to_str()
        if field == "model":  # theirs remembers words, also those of other settings
            tok = tokenizers.Tokenizer.from_str(file)
            ours = accelerate(transformers.PreTrainedTokenizerFast(tokenizer_object=tok))
        theirs = transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokenizers.Tokenizer.from_str(file)
        )
        found = [
            [
                tok(TEXTS, return_offsets_mapping=True).data,
                [tok(TEXTS).word_ids(row) for row in range(len(TEXTS))],
                tok(*TEXTS[:2]).data,
                tok.decode(ids),
            ]
            for tok in (ours, theirs)
        ]
        assert found[0] == found[1], file
        answers.append(found[0])
    assert any(answer != answers[0] for answer in answers), "no change is seen"
    assert ours.fallbacks.keys() <= {"decode"}


@case("models.Unigram.can_modify")
@pytest.mark.parametrize(
    "model",
    [
        models.BPE(VOCAB, MERGES, unk_token="<unk>"),
        models.Unigram([(token, -1.0) for token in VOCAB], 0, byte_fallback=False),
    ],
)
def test_models_that_take_chances_are_left_to_theirs(model: Any) -> None:
    transformers = pytest.importorskip("transformers")
    from subword.integrations._accelerated import FallbackWarning
    from subword.integrations.transformers import accelerate

    name = "dropout" if isinstance(model, models.BPE) else "alpha"
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizers.Tokenizer(model))
    ours = accelerate(fast)
    setattr(ours.backend_tokenizer.model, name, 0.5)
    with pytest.warns(FallbackWarning, match=name):
        ours(TEXTS)
    setattr(ours.backend_tokenizer.model, name, None)
    assert ours(TEXTS).data == fast(TEXTS).data
    assert ours.fallbacks == {"tokenizer": 1}


def test_every_test_of_theirs_has_a_case_or_a_reason() -> None:
    from tests.parity import test_suite_calls, test_suite_training

    assert test_suite_calls.__doc__
    assert test_suite_training.__doc__
    left_out = [name for names in LEFT_OUT.values() for name in names]
    assert sorted([*PORTED, *left_out]) == sorted(NAMES)
    assert len(NAMES) == 198
    assert len(PORTED) >= 150
