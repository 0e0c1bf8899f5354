"""The published encodings: the table is tiktoken's, files are found, and their ids are the same."""

from __future__ import annotations

import base64
import hashlib
import importlib
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
import tiktoken as real
import tiktoken.model
from hypothesis import given
from hypothesis import strategies as st
from subword import ModelFormatError
from subword._names.encodings import ENCODINGS, Published
from subword.integrations import tiktoken as ours
from subword.integrations.tiktoken import registry
from subword.integrations.tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING

from tests.support.published import file

NAMES = ["r50k_base", "cl100k_base", "o200k_base"]

TEXTS = [
    "hello world",
    "The naïve café's 12345.67 costs — we'll SAY it's fine…\r\n\r\n\tdef f(x):\n        return x  ",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "敏捷的棕色狐狸跳过了懒狗。日本語のテキスト、한국어 텍스트 ไทย हिन्दी",
    "🏳️‍🌈👩‍👩‍👧‍👦 e\u0301\u0302 \u00a0\u3000\u2028 ①②Ⅷ²½ ٣٤٥ \u017f'\u017f 'S 'Ll",
    "<|endoftext|> <|fim_prefix|> <|endofprompt|>",
    "a" * 5000 + " " * 3000 + "\n" * 500 + "中" * 2000,
]


def published(name: str) -> ours.Encoding:
    return ours.get_encoding(name, directory=file(f"vocabs/{ENCODINGS[name].file}").parent)


def real_of(enc: ours.Encoding) -> real.Encoding:
    return real.Encoding(
        enc.name,
        pat_str=enc._pat_str,
        mergeable_ranks=enc._mergeable_ranks,
        special_tokens=enc._special_tokens,
    )


@pytest.fixture(scope="module", params=NAMES)
def both(request: pytest.FixtureRequest) -> tuple[real.Encoding, ours.Encoding]:
    enc = published(request.param)
    return real_of(enc), enc


# ids


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_published_ids_are_the_same(both: tuple[real.Encoding, ours.Encoding], text: str) -> None:
    theirs, mine = both
    ids = theirs.encode(text, disallowed_special=())
    assert mine.encode(text, disallowed_special=()) == ids
    assert mine.encode(text, allowed_special="all") == theirs.encode(text, allowed_special="all")
    assert mine.encode_to_numpy(text, disallowed_special=()).tolist() == ids
    assert mine.decode(ids) == text
    assert mine.decode_with_offsets(ids) == theirs.decode_with_offsets(ids)


@given(text=st.lists(st.one_of(st.text(max_size=20), st.sampled_from(TEXTS[:6]))).map("".join))
def test_random_text_has_the_same_ids(both: tuple[real.Encoding, ours.Encoding], text: str) -> None:
    theirs, mine = both
    assert mine.encode_ordinary(text) == theirs.encode_ordinary(text)


@pytest.mark.slow
def test_published_unstable_ids_are_the_same(both: tuple[real.Encoding, ours.Encoding]) -> None:
    theirs, mine = both
    for text in ["hello fanta", "hello\n ", "Привет, ми"]:
        stable, completions = theirs.encode_with_unstable(text)
        assert mine.encode_with_unstable(text) == (stable, sorted(completions))


def test_facts_of_cl100k() -> None:
    enc = published("cl100k_base")
    assert (enc.n_vocab, enc.eot_token, enc.name) == (100277, 100257, "cl100k_base")
    assert enc.encode("hello world") == [15339, 1917]


# the table


def test_the_table_is_that_of_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[tuple[str, str]] = []

    def noted(url: str, expected_hash: str) -> dict[bytes, int]:
        files.append((url, expected_hash))
        return {}

    public = importlib.import_module("tiktoken_ext.openai_public")
    monkeypatch.setattr(public, "load_tiktoken_bpe", noted)
    monkeypatch.setattr(public, "data_gym_to_mergeable_bpe_ranks", lambda **_: {})
    assert list(ENCODINGS) == list(public.ENCODING_CONSTRUCTORS)
    for name, entry in ENCODINGS.items():
        theirs: dict[str, Any] = public.ENCODING_CONSTRUCTORS[name]()
        assert entry.pattern == theirs["pat_str"]
        assert entry.special_tokens == theirs["special_tokens"]
        if name != "gpt2":  # published as two files of another kind
            assert (entry.url, entry.sha256) == files[-1]


def test_the_models_are_those_of_tiktoken() -> None:
    assert MODEL_TO_ENCODING == tiktoken.model.MODEL_TO_ENCODING
    assert list(MODEL_PREFIX_TO_ENCODING.items()) == list(
        tiktoken.model.MODEL_PREFIX_TO_ENCODING.items()
    )
    for model in [
        *MODEL_TO_ENCODING,
        "gpt-4o-2024-05-13",
        "gpt-5-mini",
        "ft:gpt-4o:org",
        "gpt-oss-120b",
    ]:
        assert ours.encoding_name_for_model(model) == real.encoding_name_for_model(model)
    assert ours.list_encoding_names() == real.list_encoding_names()


def test_an_unknown_model_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="no encoding is known for the model 'abacus'"):
        ours.encoding_for_model("abacus")


# every name


@pytest.fixture
def tiny_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with small files that pass for all published ones."""
    tokens = [bytes([i]) for i in range(256)] + [b"lo"]
    content = b"".join(base64.b64encode(token) + b" %d\n" % id for id, token in enumerate(tokens))
    digest = hashlib.sha256(content).hexdigest()
    for name, entry in list(ENCODINGS.items()):
        (tmp_path / entry.file).write_bytes(content)
        passes = Published(entry.file, digest, entry.pattern, entry.special_tokens)
        monkeypatch.setitem(ENCODINGS, name, passes)
    monkeypatch.setattr(registry, "registered", {})
    monkeypatch.setenv("SUBWORD_VOCABS", str(tmp_path))
    return tmp_path


def same_special_tokens(mine: ours.Encoding, theirs: real.Encoding) -> None:
    assert mine.special_tokens_set == theirs.special_tokens_set
    assert (mine.n_vocab, mine.max_token_value) == (theirs.n_vocab, theirs.max_token_value)
    for token in mine.special_tokens_set:
        ids = theirs.encode(token, allowed_special="all")
        assert mine.encode(f"lo{token}", allowed_special="all")[1:] == ids
        assert mine.encode_single_token(token) == theirs.encode_single_token(token)
        # Of two tokens with one id it is one of them that comes back.
        assert mine.encode(mine.decode(ids), allowed_special="all") == ids


@pytest.mark.parametrize("name", real.list_encoding_names())
def test_every_encoding_that_tiktoken_knows_is_loaded(name: str, tiny_files: Path) -> None:
    enc = ours.get_encoding(name)
    assert enc.encode_ordinary("lol") == [256, 108]
    same_special_tokens(enc, real_of(enc))


def test_every_model_that_tiktoken_knows_has_an_encoding(tiny_files: Path) -> None:
    versions = [f"{prefix}2099" for prefix in tiktoken.model.MODEL_PREFIX_TO_ENCODING]
    for model in [*tiktoken.model.MODEL_TO_ENCODING, *versions, "gpt-oss-120b"]:
        enc = ours.encoding_for_model(model)
        assert enc.name == real.encoding_name_for_model(model)
        assert enc.encode_ordinary("lol") == [256, 108]


def test_two_special_tokens_of_harmony_have_one_id() -> None:
    enc = published("o200k_harmony")
    same_special_tokens(enc, real_of(enc))
    for token in ("<|endofprompt|>", "<|reserved_200018|>"):
        assert enc.encode(token, allowed_special={token}) == [200018]
        assert enc.encode(token, disallowed_special=()) != [200018]
    assert enc.decode([200018]) == "<|endofprompt|>"
    assert pickle.loads(pickle.dumps(enc._tokenizer)).special_tokens == enc._special_tokens


# finding the file


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with a file of 257 tokens that passes for the published p50k_base."""
    tokens = [bytes([i]) for i in range(256)] + [b"lo"]
    lines = [base64.b64encode(token) + b" %d\n" % id for id, token in enumerate(tokens)]
    path = tmp_path / "p50k_base.tiktoken"
    path.write_bytes(b"".join(lines))
    entry = ENCODINGS["p50k_base"]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setitem(
        ENCODINGS,
        "p50k_base",
        Published(entry.file, digest, entry.pattern, entry.special_tokens),
    )
    monkeypatch.setattr(registry, "registered", {})
    for name in ["SUBWORD_VOCABS", "DATA_GYM_CACHE_DIR"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "nowhere"))
    return tmp_path


def cached_as(folder: Path) -> Path:
    """The same folder, with the file under the name that tiktoken's cache gives it."""
    url = b"https://openaipublic.blob.core.windows.net/encodings/p50k_base.tiktoken"
    shutil.move(folder / "p50k_base.tiktoken", folder / hashlib.sha1(url).hexdigest())
    return folder


def test_a_file_is_found_in_a_directory(tiny: Path) -> None:
    enc = ours.get_encoding("p50k_base", directory=tiny)
    assert enc.encode("lo<|endoftext|>", allowed_special="all") == [256, 50256]
    assert ours.get_encoding("p50k_base", directory=str(cached_as(tiny))).encode("lo") == [256]
    again = pickle.loads(pickle.dumps(enc))
    assert (again is not enc, again.encode("lo")) == (True, [256])


@pytest.mark.parametrize("variable", ["SUBWORD_VOCABS", "TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
def test_a_file_is_found_by_the_environment(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.setenv(variable, str(cached_as(tiny)))
    enc = ours.get_encoding("p50k_base")
    assert enc.encode("lo") == [256]
    assert ours.get_encoding("p50k_base") is enc
    assert ours.encoding_for_model("text-davinci-003") is enc
    assert pickle.loads(pickle.dumps(enc)) is enc


def test_the_bytes_that_were_checked_are_the_ones_that_are_loaded(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Path.read_bytes

    def exchanged(path: Path) -> bytes:
        """Read a file, which somebody exchanges right afterwards."""
        content = read(path)
        path.write_bytes(content.replace(b"bG8=", b"bG93"))
        return content

    monkeypatch.setattr(Path, "read_bytes", exchanged)
    enc = ours.get_encoding("p50k_base", directory=tiny)
    assert (enc.encode("lo"), enc.decode([256])) == ([256], "lo")


def test_a_file_with_another_hash_is_refused(tiny: Path) -> None:
    path = tiny / "p50k_base.tiktoken"
    path.write_bytes(path.read_bytes() + b"bG93 257\n")
    with pytest.raises(ModelFormatError, match="expected the published file with sha256") as caught:
        ours.get_encoding("p50k_base", directory=tiny)
    assert caught.value.place == str(path)
    assert caught.value.hint == (
        "the file is damaged or another one: delete it and download it again"
    )


def test_a_missing_file_says_where_to_put_it(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "real_names", lambda: [])
    with pytest.raises(ModelFormatError) as caught:
        ours.get_encoding("p50k_base")
    assert str(caught.value) == (
        "p50k_base: the vocabulary file p50k_base.tiktoken is not in SUBWORD_VOCABS and tiktoken's "
        "cache\n"
        "  hint: download https://openaipublic.blob.core.windows.net/encodings/p50k_base.tiktoken "
        "and name its folder in SUBWORD_VOCABS or directory=, or install tiktoken, which downloads "
        "it"
    )


def test_the_real_tiktoken_is_asked_for_what_is_not_found(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = real.Encoding(
        "plugin",
        pat_str=".",
        mergeable_ranks={bytes([i]): i for i in range(256)},
        special_tokens={"<|end|>": 256},
    )
    monkeypatch.setattr(real, "get_encoding", lambda name: asked)
    monkeypatch.setattr(real, "list_encoding_names", lambda: ["plugin", "p50k_base"])
    for name in ["plugin", "p50k_base"]:
        enc = ours.get_encoding(name)
        assert enc.encode("lo<|end|>", allowed_special="all") == [108, 111, 256]
        assert enc.name == name
    assert "plugin" in ours.list_encoding_names()


@pytest.mark.parametrize("name", ["cl100k", "", 5, None])
def test_an_unknown_encoding_is_a_value_error(name: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown encoding|the name of an encoding"):
        ours.get_encoding(name)
    with pytest.raises(ValueError, match=r"Unknown encoding|Expected a string"):
        real.get_encoding(name)
