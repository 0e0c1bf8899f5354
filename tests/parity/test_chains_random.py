"""Random files of random components: ids, offsets and text are those of Hugging Face's library."""

from __future__ import annotations

import pickle
import random
import warnings
from pathlib import Path

import pytest
import subword
import tokenizers

from tests.support import chains

#: What is refused on purpose: such tokens are found at random places there.
REFUSED = ("is empty after normalisation", "are the same after normalisation")


def compare(seed: int, folder: Path) -> int:
    """How many texts of one random file were compared."""
    source = random.Random(seed)
    file = chains.chain(source)
    try:
        theirs = chains.theirs_of(file)
    except BaseException:  # it panics on some normalised tokens: nothing to compare
        return 0
    try:
        ours = chains.ours_of(file, folder)
    except subword.ModelFormatError as error:
        if not any(reason in str(error) for reason in REFUSED):
            raise AssertionError(chains.described(file)) from error
        return 0
    for _ in range(8):
        difference = chains.differences(ours, theirs, chains.text(source))
        assert difference is None, f"seed {seed}: {difference}\n{chains.described(file)}"
    return 8


@pytest.mark.parametrize("group", range(4))
def test_random_chains_give_the_same_ids_offsets_and_text(group: int, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", subword.ModelFormatWarning)
        compared = sum(compare(seed, tmp_path) for seed in range(100 * group, 100 * group + 100))
    assert compared > 600


@pytest.mark.slow
@pytest.mark.parametrize("group", range(8))
def test_many_random_chains_give_the_same(group: int, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", subword.ModelFormatWarning)
        first = 10_000 + 500 * group
        compared = sum(compare(seed, tmp_path) for seed in range(first, first + 500))
    assert compared > 3000


def test_random_chains_are_saved_whole(tmp_path: Path) -> None:
    for seed in range(60):
        file = chains.chain(random.Random(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", subword.ModelFormatWarning)
            try:
                ours = chains.ours_of(file, tmp_path)
            except subword.ModelFormatError:
                continue
        if ours.kind != "chain":
            continue
        assert pickle.loads(pickle.dumps(ours)) == ours
        saved = tmp_path / "saved.json"
        ours.save(saved, format="huggingface")
        assert subword.Tokenizer.load(saved) == ours
        theirs = tokenizers.Tokenizer.from_file(str(saved))
        for _ in range(3):
            sample = chains.text(random.Random(seed))
            assert chains.differences(ours, theirs, sample) is None
