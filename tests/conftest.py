"""Settings that all tests share, and the explorer and the browser of those that ask for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from exploring import Running
    from playwright.sync_api import Browser

# A run is the same twice, so that a change is to blame for a failure and not the dice; the other
# profile (HYPOTHESIS_PROFILE=searching) throws them, many times. No deadline: a shared machine may
# take a break in the middle of an example, and that is not what is tested.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=100)
settings.register_profile("searching", deadline=None, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(scope="module")
def explorer() -> Iterator[Running]:
    """The explorer with the tokenizers that it has itself."""
    from exploring import running
    from subword.explorer.samples import built_in

    with running(built_in()) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser."""
    from browsing import chromium

    with chromium() as found:
        yield found
