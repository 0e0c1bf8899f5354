"""The address of the page: a reload, a link and the back button keep view, tokenizer and text."""

from __future__ import annotations

import re
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Browser, Page, expect
from subword import BpeTrainer, Tokenizer
from subword.explorer import Explored
from subword.explorer.samples import built_in

from tests.explorer.test_views import open_file
from tests.support.browsing import SMALL, counted, opened, tokens, write
from tests.support.exploring import Running, running

pytestmark = pytest.mark.browser


def area(page: Page) -> str:
    return page.get_by_role("textbox", name="Text", exact=True).input_value()


def test_a_reload_keeps_the_tokenizer_the_text_and_the_view(
    browser: Browser, explorer: Running
) -> None:
    text = "newest & wïdest + 100% # low?\n\tend"
    with opened(browser, explorer) as page:
        write(page, text)
        page.locator("#tokenizer").select_option("1")
        page.get_by_label("Recognise special tokens").check()
        expect(page).to_have_url(re.compile(re.escape(f"text={quote_plus(text)}")))
        expect(page).to_have_url(re.compile("#text[?]tokenizer=smaller&special=encode&"))
        page.reload()
        expect(page.locator("#tokenizer")).to_have_value("1")
        expect(counted(page, "tokens")).to_have_text(str(built_in()[1].tok.count(text)))
        assert area(page) == text
        expect(page.get_by_label("Recognise special tokens")).to_be_checked()
        for view in ("compare", "tree", "vocabulary", "train"):
            page.locator(f"#tab-{view}").click()
            page.reload()
            expect(page.locator(f"#view-{view}")).to_be_visible()
            expect(page.locator("#tokenizer")).to_have_value("1")
        page.get_by_role("tab", name="Text").click()
        expect(counted(page, "bytes")).to_have_text(str(len(text.encode())))


def test_a_link_shows_the_same_to_somebody_else(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        write(page, "and words")
        page.locator("#tokenizer").select_option("1")
        expect(page).to_have_url(re.compile("tokenizer=smaller"))
        link = page.url.partition("#")[2]
    with opened(browser, explorer, link) as page:
        expect(page.locator("#tokenizer")).to_have_value("1")
        assert area(page) == "and words"


def test_a_token_is_that_of_its_tokenizer_after_a_reload(browser: Browser) -> None:
    other = BpeTrainer(num_merges=10).train_iter(["to and to and tomorrow"] * 3)
    id = other.token_id(" to")
    assert SMALL.token_bytes(id) != b" to"
    explored = [*built_in(), Explored("other.json", other)]
    with running(explored) as explorer, opened(browser, explorer) as page:
        page.locator("#tokenizer").select_option("2")
        page.goto(f"{explorer.address}#tree/{id}")
        title = page.locator("#view-tree h2")
        expect(title).to_have_text("Token ␣to")
        page.reload()
        expect(title).to_have_text("Token ␣to")
        expect(page.locator("#tokenizer")).to_have_value("2")


def test_back_and_forward_restore_what_was_shown(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        write(page, "and words")
        tokens(page).nth(1).click()
        page.get_by_role("link", name="How it was built").click()
        title = page.locator("#view-tree h2")
        expect(title).to_have_text("Token ␣words")
        page.locator("#view-tree .node.link").first.click()
        expect(title).not_to_have_text("Token ␣words")
        page.go_back()
        expect(title).to_have_text("Token ␣words")
        page.go_back()
        expect(page.locator("#view-text")).to_be_visible()
        assert area(page) == "and words"
        page.goto(f"{explorer.address}#text?tokenizer=smaller&text=low")
        expect(counted(page, "bytes")).to_have_text("3")
        expect(page.locator("#tokenizer")).to_have_value("1")
        page.go_back()
        expect(counted(page, "bytes")).to_have_text("9")
        expect(page.locator("#tokenizer")).to_have_value("0")


def test_a_long_text_is_kept_in_the_tab(browser: Browser, explorer: Running) -> None:
    raw = "The lowest of the löw.\n".encode() * 5000 + b"\xff"
    with opened(browser, explorer) as page:
        open_file(page, "long.bin", raw)
        expect(counted(page, "bytes")).to_have_text(f"{len(raw):,}")
        expect(page).to_have_url(re.compile("[?]tokenizer=small&kept=[0-9a-z]+$"))
        page.reload()
        expect(counted(page, "bytes")).to_have_text(f"{len(raw):,}")
        expect(page.locator("#view-text .input-box .note")).to_have_text("long.bin")
        link = page.url.partition("#")[2]
    with opened(browser, explorer, link) as page:  # in another tab it is not
        expect(counted(page, "bytes")).not_to_have_text("…")
        expect(page.get_by_role("alert")).to_have_text(
            "The text of this address was too long for it, and is in another tab."
        )
        expect(tokens(page).first).to_have_text("T")


def test_bytes_that_are_no_text_are_in_the_address(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        open_file(page, "odd.bin", b"low \xff\x00")
        expect(page).to_have_url(re.compile("base64=bG93IP8A$"))
        page.reload()
        expect(page.locator("#view-text .raw")).to_have_text(["FF"])
        expect(counted(page, "bytes")).to_have_text("6")


@pytest.mark.parametrize(
    "fragment",
    [
        "text?tokenizer=none&text=low",
        "nothing?text=low",
        "text?text=low&kept=1&base64=?&special=x&tokenizer=%FF",
        "text?text=<img src=x onerror=alert(1)>low",
        "tree/9999999999999999999999?text=low",
        "tree/-1?text=low",
        "vocabulary/x/y?z?text=low",
        "text?base64=%%%",
        "%",
        "?",
        "constructor",
    ],
)
def test_an_address_that_somebody_made_up_is_survived(
    browser: Browser, explorer: Running, fragment: str
) -> None:
    with opened(browser, explorer, fragment, expected="400 (Bad Request)") as page:
        expect(page.locator("main > section:visible")).to_have_count(1)
        assert page.locator("main img").count() == 0
        page.get_by_role("tab", name="Text").click()
        write(page, "and words")
        expect(tokens(page)).to_have_text(["and", " words"])


def test_a_tokenizer_that_is_not_there_is_told(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, "text?tokenizer=gone.json&text=low") as page:
        expect(counted(page, "bytes")).to_have_text("3")
        expect(page.locator("#tokenizer")).to_have_value("0")
        problem = page.get_by_role("alert").first
        expect(problem).to_have_text("The tokenizer gone.json is not open here.")
        page.locator("#tokenizer").select_option("1")
        expect(problem).to_be_hidden()


def test_the_text_of_a_training_is_kept(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, "train") as page:
        page.get_by_label("Text to learn from").fill("hum hum")
        page.reload()
        expect(page.get_by_label("Text to learn from")).to_have_value("hum hum")
        expect(page.locator(".round-title")).to_contain_text("Round 1: ")


def test_a_tokenizer_without_tokens_of_a_name_keeps_its_place(browser: Browser) -> None:
    """Names may hold every character that an address uses."""
    tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    explored = [*built_in(), Explored("a&b=c#d?e/f+g %.json", tok)]
    with running(explored) as explorer, opened(browser, explorer) as page:
        page.locator("#tokenizer").select_option("2")
        expect(page).to_have_url(re.compile("tokenizer=a%26b"))
        page.reload()
        expect(page.locator("#tokenizer")).to_have_value("2")
