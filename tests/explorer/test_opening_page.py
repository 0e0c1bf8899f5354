"""A tokenizer is opened from the page: by the dialog, by keyboard, by a drop; and hostile files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect
from subword import BpeTrainer
from subword.explorer.samples import built_in

from tests.explorer.test_opening import RANKS, WORDS
from tests.support.browsing import counted, opened, tokens
from tests.support.exploring import running

pytestmark = pytest.mark.browser

DROP = """
    ([selector, name, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], name));
      const target = document.querySelector(selector);
      for (const type of ["dragover", "drop"]) {
        const settings = { dataTransfer: data, bubbles: true, cancelable: true };
        target.dispatchEvent(new DragEvent(type, settings));
      }
    }
"""


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Open a tokenizer")


def choose(page: Page, name: str, content: bytes) -> None:
    file = FilePayload(name=name, mimeType="application/octet-stream", buffer=content)
    dialog(page).locator("input[type=file]").set_input_files(file)
    dialog(page).get_by_role("button", name="Open", exact=True).click()


def test_a_tokenizer_is_opened_and_chosen(browser: Browser, tmp_path: Path) -> None:
    tok = BpeTrainer(num_merges=3).train_iter(["low low lower lower newer"])
    tok.save(tmp_path / "tok.json")
    with running(built_in()) as explorer, opened(browser, explorer) as page:
        page.get_by_role("button", name="Open a tokenizer").click()
        choose(page, "tok.json", (tmp_path / "tok.json").read_bytes())
        expect(dialog(page)).to_be_hidden()
        expect(page.locator("#tokenizer")).to_have_value("2")
        expect(page.locator("#tokenizer option").nth(2)).to_have_text("tok.json")
        page.get_by_role("textbox", name="Text", exact=True).fill("lower")
        expect(counted(page, "tokens")).to_have_text(str(tok.count("lower")))
        page.get_by_role("tab", name="Compare").click()
        box = page.get_by_role("checkbox", name="tok.json")
        expect(box).to_be_visible()
        box.check()
        expect(page.locator(".columns article h3")).to_have_text(["small", "smaller", "tok.json"])
        page.reload()  # it is there until the explorer ends
        expect(page.locator("#tokenizer")).to_have_value("2")


def test_the_keyboard_opens_and_leaves_the_dialog(browser: Browser) -> None:
    with running(built_in()) as explorer, opened(browser, explorer) as page:
        button = page.get_by_role("button", name="Open a tokenizer")
        button.focus()
        page.keyboard.press("Enter")
        expect(dialog(page)).to_be_visible()
        expect(dialog(page).locator("input[type=file]")).to_be_focused()
        page.keyboard.press("Tab")
        expect(dialog(page).get_by_label("Pattern")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(dialog(page).get_by_role("alert")).to_have_text("Choose a file first.")
        page.keyboard.press("Escape")
        expect(dialog(page)).to_be_hidden()
        expect(button).to_be_focused()


def test_a_tiktoken_file_asks_for_its_pattern(browser: Browser) -> None:
    with (
        running(built_in()) as explorer,
        opened(browser, explorer, expected="400 (Bad Request)") as page,
    ):
        page.get_by_role("button", name="Open a tokenizer").click()
        choose(page, "mine.tiktoken", RANKS)
        expect(dialog(page).get_by_role("alert")).to_contain_text("choose its pattern")
        dialog(page).get_by_label("Pattern").select_option("gpt2")
        dialog(page).get_by_role("button", name="Open", exact=True).click()
        expect(dialog(page)).to_be_hidden()
        expect(page.locator("#about")).to_contain_text("257 tokens")


def test_a_file_is_dropped_on_the_page(browser: Browser) -> None:
    with (
        running(built_in()) as explorer,
        opened(browser, explorer, expected="400 (Bad Request)") as page,
    ):
        expect(tokens(page).first).to_be_visible()
        page.evaluate(DROP, ["h1", "words.txt", WORDS.decode()])
        expect(page.locator("#tokenizer")).to_have_value("2")
        expect(page.locator("#about")).to_contain_text("WordPiece · 3 tokens")
        page.evaluate(DROP, ["#about", "mine.tiktoken", RANKS.decode()])
        expect(dialog(page)).to_contain_text("The file that was dropped: mine.tiktoken")
        dialog(page).get_by_label("Pattern").select_option("cl100k")
        dialog(page).get_by_role("button", name="Open", exact=True).click()
        expect(page.locator("#tokenizer")).to_have_value("3")
        page.evaluate(DROP, ["#view-text .input", "text.txt", "low"])  # on a text it is a text
        expect(counted(page, "bytes")).to_have_text("3")
        expect(page.locator("#tokenizer option")).to_have_count(4)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("<img src=x onerror=alert(1)>.json", b"{}"),
        ("deep.json", b"[" * 100_000),
        ("empty.json", b""),
        ("page.json", b"<script>alert(1)</script>"),
    ],
)
def test_a_hostile_file_is_refused_in_the_dialog(
    browser: Browser, name: str, content: bytes
) -> None:
    with (
        running(built_in()) as explorer,
        opened(browser, explorer, expected="400 (Bad Request)") as page,
    ):
        page.get_by_role("button", name="Open a tokenizer").click()
        choose(page, name, content)
        expect(dialog(page).get_by_role("alert")).to_contain_text(name)
        assert page.locator("dialog img, dialog script").count() == 0
        dialog(page).get_by_role("button", name="Cancel").click()
        expect(page.locator("#tokenizer option")).to_have_count(2)
        expect(tokens(page).first).to_be_visible()


def test_a_hostile_name_and_vocabulary_stay_text(browser: Browser) -> None:
    evil = "<img src=x onerror=alert(1)>"
    with running(built_in()) as explorer, opened(browser, explorer) as page:
        page.get_by_role("button", name="Open a tokenizer").click()
        choose(page, f"{evil}.txt", f"[UNK]\n{evil}\n\u202eevil\n".encode())
        expect(page.locator("#tokenizer")).to_have_value("2")
        ready = {
            "text": ".token",
            "compare": ".token",
            "tree": "h2 .chip",
            "vocabulary": ".row .chip",
        }
        for view, there in ready.items():
            page.locator(f"#tab-{view}").click()
            expect(page.locator(f"#view-{view} {there}").first).to_be_visible()
            assert page.locator("body img, main script").count() == 0
        page.get_by_role("searchbox").last.fill("img")
        expect(page.locator("#view-vocabulary .space .chip")).to_have_text([evil.replace(" ", "␣")])


def test_a_file_that_is_too_large_is_not_sent(browser: Browser) -> None:
    with running(built_in()) as explorer, opened(browser, explorer) as page:
        asked: list[Any] = []
        page.on("request", lambda request: asked.append(request.url))
        drop = DROP.replace("[content]", "[new Uint8Array(65 * 2 ** 20)]")
        page.evaluate(drop, ["h1", "large.json", ""])
        expect(dialog(page).get_by_role("alert")).to_have_text(
            "large.json has 68,157,440 bytes, and the page takes 67,108,864."
        )
        assert not [url for url in asked if "api/open" in url]
