"""Every input in the corpus, seeds and what was found once, is read or refused."""

from __future__ import annotations

import random

from tests.support.fuzzed import changed, checking_manifests, checking_requests, seeds


def test_manifests_that_were_found_once_are_read_or_refused() -> None:
    with checking_manifests() as check:
        for path in seeds("manifests"):
            print(path.name)
            check(path.read_bytes())


def test_requests_that_were_found_once_are_answered_or_blamed_on_who_asks() -> None:
    with checking_requests() as check:
        for path in seeds("explorer"):
            print(path.name)
            check(path.read_bytes())


def test_an_input_that_is_made_up_follows_from_its_seed() -> None:
    def made(seed: int) -> list[bytes]:
        dice = random.Random(seed)
        return [changed(path.read_bytes(), dice) for path in seeds("manifests")]

    assert made(1) == made(1) != made(2)
