"""The explorer and the browser of the tests that ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from subword.explorer.samples import built_in

from tests.support.exploring import Running, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def explorer() -> Iterator[Running]:
    """The explorer with the tokenizers that it has itself."""
    with running(built_in()) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser."""
    from tests.support.browsing import chromium

    with chromium() as found:
        yield found
