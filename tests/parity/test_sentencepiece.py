"""``tokenizer.model``: ids, pieces, offsets and decoding beside the sentencepiece library."""

from __future__ import annotations

import contextlib
import io
import pickle
import random as randomness
from pathlib import Path
from typing import Any

import pytest
import subword
from tokenizers import Tokenizer as Theirs

from tests.support import pieces

sentencepiece = pytest.importorskip("sentencepiece")

KINDS = ["bpe", "unigram"]
TEXTS = ["", " ", "   ", "▁", " a", "a ", "a  b", "▁a", "low lower", "\x00", "\n", "☃☃ ☃"]


def both(content: bytes, folder: Path) -> tuple[subword.Tokenizer, Any]:
    path = folder / "tokenizer.model"
    path.write_bytes(content)
    return subword.Tokenizer.load(path), sentencepiece.SentencePieceProcessor(model_proto=content)


def check(ours: subword.Tokenizer, theirs: Any, text: str) -> list[int]:
    """Compare one text, and return its ids."""
    expected = theirs.encode(text, return_type="proto")
    ids = [piece.id for piece in expected.pieces]
    assert ours.encode(text) == ids, text
    places = [(piece.begin, piece.end) for piece in expected.pieces]
    assert ours.encode_offsets(text, unit="bytes") == (ids, places), text
    assert ours.decode(ids) == theirs.decode(ids), text
    return ids


def check_model(content: bytes, random: randomness.Random, folder: Path) -> None:
    ours, theirs = both(content, folder)
    for text in [*TEXTS, *(pieces.text(random) for _ in range(30))]:
        check(ours, theirs, text)
    for _ in range(20):
        ids = random.choices(range(theirs.vocab_size()), k=random.randint(0, 9))
        assert ours.decode(ids) == theirs.decode(ids), ids
    for piece in range(theirs.vocab_size()):
        assert ours.token_bytes(piece).decode() == theirs.id_to_piece(piece)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(40))
def test_a_trained_model_gives_the_pieces_and_text_of_the_library(
    seed: int, kind: str, tmp_path: Path
) -> None:
    random = randomness.Random(seed)
    for _ in range(3):
        check_model(pieces.trained(random, kind=kind), random, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(40))
def test_models_that_no_training_makes_give_the_pieces_of_the_library(
    seed: int, kind: str, tmp_path: Path
) -> None:
    random = randomness.Random(1000 + seed)
    for _ in range(3):
        content = pieces.changed(pieces.trained(random, kind=kind), random)
        check_model(content, random, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(20))
def test_saving_keeps_everything(seed: int, kind: str, tmp_path: Path) -> None:
    random = randomness.Random(2000 + seed)
    ours, _ = both(pieces.changed(pieces.trained(random, kind=kind), random), tmp_path)
    ours.save(tmp_path / "native.json")
    for other in (
        subword.Tokenizer.load(tmp_path / "native.json"),
        pickle.loads(pickle.dumps(ours)),
    ):
        assert other == ours
        for text in (pieces.text(random) for _ in range(20)):
            ids = ours.encode(text)
            assert other.encode(text) == ids
            assert other.decode(ids) == ours.decode(ids)


def test_a_tokenizer_json_gives_equal_ids_in_tokenizers_or_is_refused(tmp_path: Path) -> None:
    saved = 0
    for seed in range(120):
        random = randomness.Random(3000 + seed)
        content = pieces.trained(random, plain=seed % 3 > 0)
        if seed % 2:
            content = pieces.changed(content, random)
        ours, theirs = both(content, tmp_path)
        (tmp_path / "tokenizer.json").unlink(missing_ok=True)
        with contextlib.suppress(subword.ModelFormatError):
            ours.save(tmp_path / "tokenizer.json")
        if not (tmp_path / "tokenizer.json").exists():
            with pytest.raises(subword.ModelFormatError, match="cannot hold a SentencePiece model"):
                ours.save(tmp_path / "tokenizer.json")
            continue
        saved += 1
        written = Theirs.from_file(str(tmp_path / "tokenizer.json"))
        read = subword.Tokenizer.load(tmp_path / "tokenizer.json")
        for text in [*TEXTS, *(pieces.text(random) for _ in range(30))]:
            if any(name in text for name in ("<s>", "</s>", "<unk>")):
                continue
            ids = theirs.encode(text)
            assert written.encode(text).ids == ids, text
            assert read.encode(text) == ids, text
    assert saved > 20


def test_a_folder_with_a_model_is_loaded(tmp_path: Path) -> None:
    content = pieces.trained(randomness.Random(1))
    ours, _ = both(content, tmp_path)
    assert subword.Tokenizer.load(tmp_path) == ours
    (tmp_path / "tokenizer.model").rename(tmp_path / "spiece.model")
    assert subword.Tokenizer.load(tmp_path) == ours


def test_control_pieces_are_special_tokens_that_ordinary_text_does_not_become(
    tmp_path: Path,
) -> None:
    ours, theirs = both(pieces.trained(randomness.Random(2)), tmp_path)
    assert ours.special_tokens["<s>"] == theirs.bos_id()
    assert ours.encode("low <s>") == theirs.encode("low <s>")
    assert ours.encode("<s>low", special="encode")[0] == theirs.bos_id()


def test_a_user_defined_piece_with_a_space_is_found_in_no_text(tmp_path: Path) -> None:
    symbols = [("<unk>", 0.0, "UNKNOWN"), (" x", 0.0, "USER_DEFINED"), ("y▁", 0.0, "USER_DEFINED")]
    normal = [("▁x", -1.0, "NORMAL"), ("▁", -2.0, "NORMAL"), ("x", -3.0, "NORMAL")]
    for prefix in (False, True):
        model = pieces.parsed(pieces.written([*symbols, *normal], byte_fallback=True))
        model.normalizer_spec.add_dummy_prefix = prefix
        ours, theirs = both(model.SerializeToString(), tmp_path)
        for text in ("x", " x", "▁x", "a x▁x", "y x", "y▁x", "  x y "):
            check(ours, theirs, text)


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_a_character_is_its_piece_whatever_that_is_for(byte_fallback: bool, tmp_path: Path) -> None:
    odd = [("?", 0.0, "UNKNOWN"), ("Z", 0.0, "CONTROL")]
    normal = [("a", -1.0, "NORMAL"), ("▁", -2.0, "NORMAL"), ("▁a", -1.5, "NORMAL")]
    content = pieces.written([*odd, *normal], byte_fallback)
    ours, theirs = both(content, tmp_path)
    for text in ("Z", "aZa", "ZZ Z", "?", "a?", "??a", "?x", "x?", "☃?☃", "aéZ?"):
        assert ours.encode(text, special="text") == theirs.encode(text), text
        assert ours.encode_offsets(text, special="text")[0] == theirs.encode(text), text
    with pytest.raises(subword.ModelFormatError, match="unknown piece is a single character"):
        ours.save(tmp_path / "tokenizer.json")


def test_sums_far_from_zero_have_the_few_digits_of_the_library(tmp_path: Path) -> None:
    # Far from zero sums of 32 bits are often equal, and beyond 100,000 the library starts again.
    for seed in range(8):
        random = randomness.Random(seed)
        scores = [-(10.0**power) * digit for power in range(2 + seed) for digit in (1, 2.5, 0.3)]
        model = pieces.parsed(pieces.trained(random, kind="unigram"))
        for piece in model.pieces:
            if piece.type == piece.NORMAL:
                piece.score = random.choice(scores)
        ours, theirs = both(model.SerializeToString(), tmp_path)
        for length in (20, 300, 3_000, 30_000):
            text = "".join(pieces.text(random) for _ in range(1 + length // 20))
            assert ours.encode(text) == theirs.encode(text), (seed, length)


@pytest.mark.slow
def test_every_scalar_value_gives_the_ids_of_the_library(tmp_path: Path) -> None:
    values = [chr(n) for n in range(0x110000) if not 0xD800 <= n < 0xE000]
    texts = [f"a{c}b {c}" for c in values]
    for seed in range(2):
        content = pieces.trained(randomness.Random(seed), kind="unigram")
        ours, theirs = both(content, tmp_path)
        assert ours.encode_batch(texts) == theirs.encode(texts), seed


def test_unigram_is_not_saved_as_a_tokenizer_json(tmp_path: Path) -> None:
    content = pieces.trained(randomness.Random(3), plain=True, kind="unigram")
    ours, _ = both(content, tmp_path)
    words = "cannot hold a SentencePiece model of the type Unigram, whose scores are added in 32"
    with pytest.raises(subword.ModelFormatError, match=words):
        ours.save(tmp_path / "tokenizer.json")


@pytest.mark.parametrize("kind", ["word", "char"])
def test_other_types_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["low lower lowest"] * 9),
        model_writer=model,
        vocab_size=12,
        model_type=kind,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    with pytest.raises(subword.ModelFormatError, match=f"of the type {kind.title()} is not"):
        both(model.getvalue(), tmp_path)


def test_threads_batches_and_streams_give_the_same_ids(tmp_path: Path) -> None:
    random = randomness.Random(5)
    for seed in range(12):
        content = pieces.trained(randomness.Random(seed), kind=KINDS[seed % 2])
        ours, theirs = both(content, tmp_path)
        text = " ".join(pieces.text(random) for _ in range(4000))
        ids = theirs.encode(text)
        assert ours.encode(text, threads=1) == ids
        assert ours.encode(text, threads=2) == ids
        lines = text.split("\n")
        assert ours.encode_batch(lines) == theirs.encode(lines)
        assert ours.encode_array(text).tolist() == ids
