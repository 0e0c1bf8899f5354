"""How tokens look: ids, white space, boxes that no line breaks; what is copied; where boxes are."""

from __future__ import annotations

import ast
import json
import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from subword import Tokenizer
from subword.explorer import Explored

from tests.explorer.test_views import open_file
from tests.support.browsing import SMALL, counted, opened, tokens, write
from tests.support.exploring import Running, running

pytestmark = pytest.mark.browser

WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 390, "height": 844}
CLIPBOARD = ["clipboard-read", "clipboard-write"]


def box_of(page: Page, selector: str) -> Any:
    return page.locator(selector).first.evaluate("one => one.getBoundingClientRect().toJSON()")


def pasted(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


# Ids and white space


def test_ids_are_shown_in_the_place_of_tokens(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        write(page, "and words")
        ids = [str(id) for id in SMALL.encode("and words")]
        page.locator("#view-text").get_by_label("Ids").check()
        expect(tokens(page)).to_have_text(ids)
        tokens(page).nth(1).click()
        expect(page.locator(".inspector .chip")).to_have_text("␣words")
        page.reload()  # it is kept
        expect(tokens(page)).to_have_text(ids)
        page.get_by_role("tab", name="Compare").click()  # and the same everywhere
        expect(page.locator("#view-compare").get_by_label("Ids")).to_be_checked()
        expect(page.locator("#view-compare .token").first).to_have_text(ids[0])
        page.locator("#view-compare").get_by_label("Ids").uncheck()
        expect(page.locator("#view-compare .token").first).to_have_text("and")


def test_white_space_is_shown_where_it_is_asked_for(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        write(page, "and words")
        assert tokens(page).nth(1).inner_text() == " words"
        page.locator("#view-text").get_by_label("White space").check()
        expect(tokens(page).nth(1)).to_have_text("␣words")
        page.reload()
        expect(tokens(page).nth(1)).to_have_text("␣words")
        page.locator("#view-text").get_by_label("White space").uncheck()
        expect(tokens(page).nth(1)).to_have_text("words")


def test_special_tokens_are_only_offered_where_there_are_some(browser: Browser) -> None:
    plain = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    special = Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<|end|>"])
    explored = [Explored("plain", plain), Explored("special", special)]
    with running(explored) as explorer, opened(browser, explorer) as page:
        box = page.locator("#view-text").get_by_label("Recognise special tokens")
        expect(box).to_be_hidden()
        page.locator("#tokenizer").select_option("1")
        expect(box).to_be_visible()
        page.locator("#tokenizer").select_option("0")
        expect(box).to_be_hidden()


# Copies


def test_ids_tokens_and_the_link_are_copied(browser: Browser, explorer: Running) -> None:
    text = 'naïve "words"\\ \u202e\tand <|x|>'
    with opened(browser, explorer, permissions=CLIPBOARD) as page:
        write(page, text)
        told = page.get_by_role("group", name="Copy").get_by_role("status")
        page.get_by_role("button", name="Copy ids").click()
        ids = SMALL.encode(text)
        expect(told).to_have_text(f"{len(ids)} ids copied")
        assert json.loads(pasted(page)) == ids
        page.get_by_role("button", name="Copy tokens").press("Enter")
        expect(told).to_have_text(f"{len(ids)} tokens copied")
        found = ast.literal_eval(pasted(page))
        raw = [one if isinstance(one, bytes) else one.encode() for one in found]
        assert raw == [SMALL.token_bytes(id) for id in ids]
        assert b"\xc3" in found  # what is no text is bytes
        assert "\u202e" not in pasted(page)  # and what cannot be seen is escaped
        page.get_by_role("button", name="Copy link").click()
        expect(told).to_have_text("Link copied")
        assert pasted(page) == page.url


def test_a_link_without_its_text_says_so(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, permissions=CLIPBOARD) as page:
        open_file(page, "long.txt", b"low " * 1000)
        expect(counted(page, "bytes")).to_have_text("4,000")
        page.get_by_role("button", name="Copy link").click()
        told = page.get_by_role("group", name="Copy").get_by_role("status")
        expect(told).to_have_text("Link copied; the text is too long for it")


def test_wordpiece_tokens_are_copied_as_the_vocabulary_spells_them(browser: Browser) -> None:
    tok = Tokenizer.wordpiece(["[UNK]", "low", "##er"])
    with (
        running([Explored("words", tok)]) as explorer,
        opened(browser, explorer, permissions=CLIPBOARD) as page,
    ):
        page.get_by_role("textbox", name="Text", exact=True).fill("lower than")
        expect(tokens(page)).to_have_count(3)
        page.get_by_role("button", name="Copy tokens").click()
        told = page.get_by_role("group", name="Copy").get_by_role("status")
        expect(told).to_have_text("3 tokens copied")
        assert ast.literal_eval(pasted(page)) == ["low", "##er", "[UNK]"]


# Boxes

LINES = """
    all => all.map((one) => ({
      lines: new Set([...one.getClientRects()].map((box) => Math.round(box.top))).size,
      top: one.getBoundingClientRect().top,
      left: one.getBoundingClientRect().left,
      right: one.getBoundingClientRect().right,
      text: one.textContent,
    }))
"""


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_no_line_breaks_a_token(browser: Browser, explorer: Running, size: Any) -> None:
    words = "the lowest newest and widest words of tokenizers "
    raw = (words + "\0\0\x02 \u200d\u202e ").encode() * 20 + bytes(range(128, 255)) * 3
    with opened(browser, explorer, viewport=size) as page:
        open_file(page, "odd.bin", raw)
        expect(counted(page, "bytes")).to_have_text(f"{len(raw):,}")
        flow = box_of(page, "#view-text .flow")
        boxes = page.locator("#view-text .box").evaluate_all(LINES)
        assert len({round(box["top"]) for box in boxes}) > 5  # there are lines
        for selector in (".box", ".hidden-character", ".raw"):
            heights = page.locator(f"#view-text {selector}").evaluate_all(
                "all => all.map((one) => one.getBoundingClientRect().height)"
            )
            assert max(heights) < 32, selector  # no name and no hexadecimal number on two lines
        for one in boxes:
            assert one["lines"] == 1, one
            assert one["right"] <= flow["right"], one
        # A space at the start of a token is on the line of the token: no box is a space alone that
        # another token would have.
        firsts = [b for a, b in pairwise(boxes) if b["top"] > a["top"] + 5]
        assert any(one["text"].startswith(" ") for one in firsts)


def test_a_comma_stays_with_its_word(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, viewport=NARROW) as page:
        write(page, "words, words, words,\n" * 3 + "words, " * 60)
        boxes = page.locator("#view-text .box").evaluate_all(LINES)
        for before, after in pairwise(boxes):
            if after["text"] in (",", "↵"):
                assert after["top"] == before["top"]


def test_a_new_line_within_a_token_is_one_on_the_page(browser: Browser) -> None:
    vocab = {i: bytes([i]) for i in range(256)} | {256: b"\n\n", 257: b".\n\n"}
    tok = Tokenizer(vocab, [(b"\n", b"\n"), (b".", b"\n\n")], pattern="none")
    with running([Explored("lines", tok)]) as explorer, opened(browser, explorer) as page:
        page.get_by_role("textbox", name="Text", exact=True).fill("a.\n\nb")
        expect(tokens(page)).to_have_count(3)
        boxes = page.locator("#view-text .box").evaluate_all(LINES)
        assert [box["text"] for box in boxes] == ["a", ".↵", "↵", "b"]
        first, second, third, fourth = (round(box["top"]) for box in boxes)
        assert first == second < third < fourth


def test_a_token_that_is_longer_than_a_line_is_broken(browser: Browser) -> None:
    vocab = {i: bytes([i]) for i in range(256)} | {256 + n: b"a" * 2 ** (n + 1) for n in range(8)}
    merges = [(b"a" * 2**n, b"a" * 2**n) for n in range(8)]
    explored = [Explored("long", Tokenizer(vocab, merges, pattern="none"))]
    with running(explored) as explorer, opened(browser, explorer, viewport=NARROW) as page:
        page.get_by_role("textbox", name="Text", exact=True).fill("a" * 256)
        expect(tokens(page)).to_have_count(1)
        flow, box = box_of(page, "#view-text .flow"), box_of(page, "#view-text .box")
        assert box["right"] <= flow["right"]
        assert box["height"] > 100
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_text_and_tokens_are_side_by_side(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, viewport=WIDE) as page:
        expect(tokens(page).first).to_be_visible()
        text, flow = box_of(page, "#view-text .input"), box_of(page, "#view-text .flow")
        assert (text["top"], text["bottom"]) == (flow["top"], flow["bottom"])
        tokens(page).nth(2).click()
        expect(page.locator(".inspector dd").first).to_be_visible()
        assert box_of(page, "#view-text .flow") == flow  # what is told about a token moves nothing
        assert page.evaluate("document.documentElement.scrollHeight") <= 860


def test_a_large_text_leaves_the_page_to_its_tokens(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, viewport=WIDE) as page:
        open_file(page, "large.txt", b"low words " * 20_000)
        expect(counted(page, "bytes")).to_have_text("200,000")
        text, flow = box_of(page, "#view-text .input"), box_of(page, "#view-text .flow")
        assert text["height"] < 100
        assert flow["width"] > 1100
        page.locator("#view-text").get_by_role("button", name="Clear").click()
        expect(counted(page, "bytes")).to_have_text("0")
        assert box_of(page, "#view-text .input")["height"] > 300


def test_a_telephone_has_one_line_of_header(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, viewport=NARROW) as page:
        expect(tokens(page).first).to_be_visible()
        middles = {
            round(box["top"] + box["height"] / 2)
            for box in (box_of(page, one) for one in ("h1", "#tokenizer", "#open", "#theme"))
        }
        assert max(middles) - min(middles) <= 2
        tabs = page.get_by_role("tab").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().top)"
        )
        assert len({*tabs}) == 1
        assert box_of(page, "#about")["bottom"] < 125
        assert box_of(page, ".counts")["bottom"] < 500  # what one came for is on the first screen
        assert box_of(page, "#view-text .flow")["top"] < 500
        expect(page.get_by_role("button", name="Open a tokenizer")).to_be_visible()
        expect(page.get_by_role("combobox", name="Tokenizer")).to_be_visible()


def test_a_training_shows_no_line_of_another_tokenizer(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        about = page.locator("#about")
        expect(about).to_contain_text("600 tokens")
        page.get_by_role("tab", name="Train").click()
        expect(about).to_have_text("A training of its own: no tokenizer that is open takes part")
        expect(page.locator("#tokenizer")).to_be_hidden()
        page.get_by_role("tab", name="Text").click()
        expect(about).to_contain_text("600 tokens")
        expect(page.locator("#tokenizer")).to_be_visible()


def test_those_that_are_compared_are_chosen_on_the_page(
    browser: Browser, explorer: Running
) -> None:
    with opened(browser, explorer, "compare") as page:
        expect(page.locator("#about")).to_have_text("Tokenizers side by side: choose them below")
        expect(page.locator("#tokenizer")).to_be_hidden()
        rows = page.locator("#view-compare tbody tr")
        expect(rows).not_to_have_count(0)
        for box in page.get_by_role("group", name="Tokenizers").get_by_role("checkbox").all():
            box.uncheck()
        expect(page.locator("#view-compare")).to_contain_text("Choose two tokenizers or more.")
        expect(rows).to_have_count(0)


def test_no_tab_moves_when_another_is_chosen(browser: Browser, explorer: Running) -> None:
    def places(page: Page) -> list[float]:
        left = "all => all.map((one) => one.getBoundingClientRect().left)"
        found: list[float] = page.get_by_role("tab").evaluate_all(left)
        return found

    with opened(browser, explorer) as page:
        before = places(page)
        for name in ("Compare", "Merge tree", "Vocabulary", "Train"):
            page.get_by_role("tab", name=name, exact=True).click()
            expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute(
                "aria-selected", "true"
            )
            assert places(page) == before


def test_boxes_end_where_the_page_ends(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, viewport=WIDE) as page:
        expect(tokens(page).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollHeight") <= 800
        right = box_of(page, ".top")["right"]
        assert box_of(page, "#view-text .flow")["right"] == pytest.approx(right, abs=1)
        page.get_by_role("tab", name="Vocabulary").click()
        expect(page.locator("#view-vocabulary .space .row").first).to_be_visible()
        assert box_of(page, ".table-list")["right"] == pytest.approx(right, abs=1)
        assert page.evaluate("document.documentElement.scrollHeight") <= 800


def test_nothing_is_played_where_there_is_nothing(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, "train") as page:
        play = page.get_by_role("button", name="Play")
        expect(play).to_be_enabled()
        page.get_by_label("Text to learn from").fill("a")
        page.get_by_role("button", name="Train", exact=True).click()
        expect(page.locator(".round-title")).to_have_text("After 0 merges: no pair is left")
        expect(play).to_be_disabled()
        expect(page.locator(".panel .note", has_text="No pair is left")).to_have_count(2)
        expect(page.get_by_label("Round")).to_be_disabled()
        page.get_by_label("Text to learn from").fill("abcabdab abc")
        page.get_by_role("button", name="Train", exact=True).click()
        expect(play).to_be_enabled()
        expect(page.locator(".round-title")).to_have_text(re.compile("Round 1: a [+] b"))
