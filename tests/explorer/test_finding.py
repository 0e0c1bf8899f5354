"""Tokens that are looked for: by text, or what is useful first; and what waiting looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from subword import BpeTrainer, Tokenizer
from subword.explorer import Explored

from tests.explorer.test_views import open_file
from tests.support.browsing import SMALL, counted, opened, tokens
from tests.support.exploring import Running, running
from tests.support.small import STEPS

pytestmark = pytest.mark.browser


@contextmanager
def held(page: Page, name: str) -> Iterator[None]:
    """The answers of an address are held back until the end of the block."""
    waiting: list[Route] = []
    released = False

    def hold(route: Route) -> None:
        if released:
            route.continue_()
        else:
            waiting.append(route)

    page.route(f"**/api/{name}", hold)
    yield
    released = True
    for route in waiting:
        route.continue_()


# Merge tree


def test_the_tree_opens_on_a_word_of_the_text(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, "tree?text=12+-+and+words") as page:
        expect(page.locator("#view-tree h2")).to_have_text("Token ␣words")
        expect(page.locator("#view-tree .node")).not_to_have_count(0)
        expect(page).to_have_url(re.compile(f"#tree/{SMALL.token_id(' words')}[?]"))


def test_the_tree_of_wordpiece_is_no_empty_page(browser: Browser) -> None:
    words = ["[UNK]", "l", "low", "lower", "lowers", "##er"]
    explored = [Explored("words", Tokenizer.wordpiece(words))]
    with running(explored) as explorer, opened(browser, explorer, "tree?text=a+lower") as page:
        view = page.locator("#view-tree")
        expect(view.locator("h2")).to_have_text("Token lower")
        expect(view).to_contain_text("Nothing is merged here")
        expect(view).to_contain_text("It goes before these shorter tokens")
        expect(view).to_contain_text("Longer tokens that start with it: 1")
        expect(view.locator(".chips .chip")).to_have_text(["l", "low", "lowers"])
        expect(view.locator(".player, .picture").first).to_be_hidden()


def test_a_token_is_found_by_its_text_its_id_and_its_bytes(
    browser: Browser, explorer: Running
) -> None:
    with opened(browser, explorer, "tree") as page:
        heading = page.locator("#view-tree h2")
        search = page.get_by_label("Token", exact=True)
        found = page.locator("#view-tree .found")
        search.fill(" words")
        search.press("Enter")
        expect(heading).to_have_text("Token ␣words")
        search.fill(f"#{SMALL.token_id(' the')}")
        page.get_by_role("button", name="Show").click()
        expect(heading).to_have_text("Token ␣the")
        search.fill("0x20776f726473")
        search.press("Enter")
        expect(heading).to_have_text("Token ␣words")
        search.fill("words")  # with a space before it, it is another token
        search.press("Enter")
        expect(heading).to_have_text("Token words")
        expect(found).to_contain_text("Tokens with this text:")
        expect(found.locator(".chip")).to_have_text(["words", "␣words"])
        found.locator(".chip").nth(1).click()
        expect(heading).to_have_text("Token ␣words")
        expect(found.locator(".chip")).to_have_count(2)
        search.fill("lowest words")
        search.press("Enter")
        expect(heading).to_have_text("Token ␣words")
        expect(found).to_contain_text("No token by itself, but these:")
        ids = SMALL.encode("lowest words")
        expect(found.locator(".chip")).to_have_count(len(ids))
        search.fill("<img src=x onerror=alert(1)>")
        search.press("Enter")
        expect(found.locator(".chip").first).to_have_text("<")
        assert page.locator("main img").count() == 0


def test_another_tokenizer_shows_the_same_token(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, "tree") as page:
        heading = page.locator("#view-tree h2")
        page.get_by_label("Token", exact=True).fill(" the")
        page.keyboard.press("Enter")
        expect(heading).to_have_text("Token ␣the")
        page.locator("#tokenizer").select_option("1")
        expect(heading).to_have_text("Token ␣the")
        expect(page).to_have_url(re.compile("tokenizer=smaller"))
        expect(page.get_by_role("alert").first).to_be_hidden()


def test_no_line_crosses_a_rank(browser: Browser, explorer: Running) -> None:
    inside = """
        all => all.map((node) => {
          const rank = node.querySelector(".node-rank");
          if (rank === null) return true;
          const [text, rect] = [rank, node.querySelector("rect")]
            .map((one) => one.getBoundingClientRect());
          return text.left >= rect.left && text.right <= rect.right
            && text.top >= rect.top && text.bottom <= rect.bottom;
        })
    """
    apart = """
        all => {
          const boxes = all.map((one) => one.getBoundingClientRect());
          return boxes.every((a, i) => boxes.every((b, j) =>
            i === j || a.right <= b.left || b.right <= a.left || a.bottom <= b.top
              || b.bottom <= a.top));
        }
    """
    id = SMALL.token_id(" tokenizer")
    with opened(browser, explorer, f"tree/{id}") as page:
        expect(page.locator("#view-tree h2")).to_have_text("Token ␣tokenizer")
        nodes = page.locator("#view-tree .node")
        found = nodes.evaluate_all(inside)
        assert len(found) > 8
        assert all(found)
        assert page.locator("#view-tree .node rect").evaluate_all(apart)  # and no box another box
        # Boxes are drawn over the lines, so what is in a box is not crossed.
        order = page.locator("#view-tree svg > *").evaluate_all(
            "all => all.map((one) => one.tagName)"
        )
        assert order == sorted(order, reverse=True)


def test_a_tree_is_made_smaller_to_fit_a_telephone(browser: Browser, explorer: Running) -> None:
    id = SMALL.token_id(" tokenizer")
    with opened(browser, explorer, f"tree/{id}", viewport={"width": 390, "height": 844}) as page:
        picture = page.locator("#view-tree .picture")
        expect(picture.locator("svg")).to_be_visible()
        width = float(picture.locator("svg").get_attribute("width") or 0)
        inside, whole = picture.evaluate("one => [one.clientWidth, one.scrollWidth]")
        assert width > inside  # it would not fit
        assert whole == inside


def test_steps_have_counts_where_they_are_known(browser: Browser) -> None:
    trained = BpeTrainer(num_merges=3).train_iter(["low low lower"])
    known = Explored("trained", trained)
    from_file = Explored("file", Tokenizer(trained.vocab, trained.merges, pattern="gpt2"))
    with running([known, from_file]) as explorer, opened(browser, explorer, "tree/257") as page:
        head = page.locator("#view-tree thead th")
        expect(head).to_have_text(["Step", "Rank", "Count", "Tokens"])
        page.locator("#tokenizer").select_option("1")
        expect(head).to_have_text(["Step", "Rank", "Tokens"])


def test_an_id_that_is_no_token_leaves_nothing_that_loads(
    browser: Browser, explorer: Running
) -> None:
    with opened(browser, explorer, "tree/9999999", expected="404") as page:
        expect(page.get_by_role("alert").first).to_contain_text("no token has id 9999999")
        expect(page.locator("#view-tree")).not_to_contain_text("Loading")


def test_what_runs_by_steps_is_not_said_to_take_the_longest(browser: Browser) -> None:
    tok = Tokenizer.load(STEPS)
    with (
        running([Explored("steps", tok)]) as explorer,
        opened(browser, explorer, "tree?text=low") as page,
    ):
        about = "the steps of a tokenizer.json · 3 tokens · no special tokens"
        expect(page.locator("#about")).to_have_text(about)
        view = page.locator("#view-tree")
        expect(view.locator("h2")).to_have_text("Token low")
        expect(view).to_contain_text("Id 1, 3 bytes. How this tokenizer comes to its tokens is not")
        expect(view).to_contain_text("Longer tokens that start with it: 1")
        expect(view.locator(".chips .chip")).to_have_text(["lower"])


# Vocabulary


def test_the_vocabulary_opens_on_the_tokens_of_the_text(
    browser: Browser, explorer: Running
) -> None:
    with opened(browser, explorer, "vocabulary?text=and+the+the+words") as page:
        chips = page.locator("#view-vocabulary .space .chip")
        expect(chips.nth(0)).to_have_text("␣the")
        expect(page.get_by_role("columnheader", name="In the text")).to_have_attribute(
            "aria-sort", "descending"
        )
    with opened(browser, explorer, "vocabulary?text=") as page:  # without a text the longest
        chips = page.locator("#view-vocabulary .space .chip")
        longest = max(SMALL.vocab.values(), key=len).decode().replace(" ", "␣")
        expect(chips.nth(0)).to_have_text(longest)


def test_what_nothing_matches_is_told(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, "vocabulary") as page:
        view = page.locator("#view-vocabulary")
        expect(view.locator(".space .chip").first).to_be_visible()
        expect(view.locator(".list-message")).to_be_hidden()
        view.get_by_role("searchbox").fill("qqqqq")
        expect(view.locator(".list-message")).to_have_text("No token matches.")
        expect(view.get_by_role("status")).to_have_text("0 of 600 tokens")
        view.get_by_role("searchbox").fill("the")
        expect(view.locator(".list-message")).to_be_hidden()
        expect(view.locator(".space .chip").first).to_contain_text("the")


# While one waits


def test_the_vocabulary_is_there_before_it_is_counted(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        view = page.locator("#view-vocabulary")
        with held(page, "kinds"):
            with held(page, "vocabulary"):
                page.get_by_role("tab", name="Vocabulary").click()
                expect(view.locator(".list-message")).to_have_text("Loading…")
                expect(view.get_by_role("status")).to_have_text("Loading…")
                expect(view.locator(".table-list")).to_have_attribute("aria-busy", "true")
            expect(view.locator(".space .chip").first).to_be_visible()
            expect(view.locator(".table-list")).to_have_attribute("aria-busy", "false")
            expect(view.locator("fieldset")).to_have_attribute("aria-busy", "true")
            expect(view.locator("fieldset small").first).to_have_text("…")
            expect(view.get_by_label("Script")).to_be_disabled()
        expect(view.locator("fieldset small").first).to_have_text("1")
        expect(view.get_by_label("Script")).to_be_enabled()


def test_the_tree_is_there_before_larger_tokens_are(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        view = page.locator("#view-tree")
        with held(page, "larger"):
            with held(page, "token"):
                page.get_by_role("tab", name="Merge tree").click()
                expect(view).to_have_attribute("aria-busy", "true")
                expect(view.locator(".note").first).to_have_text("Loading…")
                for control in (".player", ".picture"):  # no slider of nothing, no empty picture
                    expect(view.locator(control)).to_be_hidden()
            expect(view.locator(".node").first).to_be_visible()
            expect(view).to_have_attribute("aria-busy", "false")
            expect(view).to_contain_text("Looking for larger tokens…")
        expect(view).not_to_contain_text("Looking for")


def test_a_large_file_never_has_no_tokens(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        page.locator("#view-text").get_by_role("button", name="Clear").click()
        expect(counted(page, "tokens")).to_have_text("0")
        expect(page.locator("#view-text .flow")).to_have_text("No tokens.")
        with held(page, "encode"):
            open_file(page, "large.txt", b"low words " * 50_000)
            expect(counted(page, "tokens")).to_have_text("…")
            expect(page.locator("#view-text .flow")).to_have_text("Loading…")
            column = page.locator("#view-text .column").nth(1)
            expect(column).to_have_attribute("aria-busy", "true")
        expect(counted(page, "bytes")).to_have_text("500,000")
        expect(tokens(page).first).to_be_visible()


def test_every_view_says_that_it_waits(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        expect(tokens(page).first).to_be_visible()
        with held(page, "compare"):
            page.get_by_role("tab", name="Compare").click()
            expect(page.locator("#view-compare")).to_have_attribute("aria-busy", "true")
            expect(page.locator("#view-compare p[role=status]")).to_have_text("Loading…")
        expect(page.locator("#view-compare .token").first).to_be_visible()
        with held(page, "train"):
            page.get_by_role("tab", name="Train").click()
            expect(page.locator(".round-title")).to_have_text("Loading…")
            for name in ("Start", "Back", "Play", "Forward"):
                expect(page.get_by_role("button", name=name)).to_be_disabled()
        expect(page.locator(".round-title")).to_contain_text("Round 1")
