"""A real browser for tests: Debian's Chromium, driven by Playwright, and the explorer in it.

Every page is watched: an error on its console, or a request to another machine, fails the test.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect, sync_playwright
from subword.explorer.samples import built_in

from tests.support.exploring import Running

NAMES = ["chromium", "chromium-browser", "google-chrome"]
SMALL = built_in()[0].tok

# A shared machine may take a break; what is waited for comes, or the test has failed.
expect.set_options(timeout=30_000)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; skips the test where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium: `make browser` installs it, or apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(
    browser: Browser,
    explorer: Running,
    view: str = "",
    *,
    expected: str | None = None,
    **settings: Any,
) -> Iterator[Page]:
    """A page of the explorer that has loaded.

    In the end nothing may have gone wrong, but for what the console says with ``expected`` in it.
    """
    wrong: list[str] = []

    def watch(request: Request) -> None:
        if not request.url.startswith(explorer.address):
            wrong.append(f"request to {request.url}")

    with browser.new_context(**settings) as context:
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("request", watch)
        page.on("pageerror", lambda error: wrong.append(f"error {error}"))
        page.on("dialog", lambda dialog: wrong.append(f"dialog {dialog.message}"))
        page.on(
            "console",
            lambda said: (
                wrong.append(f"{said.type} {said.text}")
                if said.type in ("error", "warning")
                else None
            ),
        )
        page.goto(f"{explorer.address}#{view}")
        expect(page.locator("#about")).not_to_have_text("Loading…")
        yield page
        assert not [what for what in wrong if expected is None or expected not in what]


def tokens(page: Page) -> Locator:
    return page.locator("#view-text .token")


def write(page: Page, text: str) -> None:
    """Type a text, and wait until its tokens are there."""
    page.get_by_role("textbox", name="Text", exact=True).fill(text)
    expect(counted(page, "tokens")).to_have_text(f"{SMALL.count(text):,}")


def counted(page: Page, name: str) -> Locator:
    return (
        page.locator("#view-text .counts div")
        .filter(has=page.locator("dt", has_text=re.compile(f"^{name}$")))
        .locator("dd")
    )
