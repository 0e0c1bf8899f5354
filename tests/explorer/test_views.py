"""The views of the explorer in a real Chromium, by mouse and by keyboard, with hostile text."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect
from subword import Tokenizer
from subword.explorer import Explored
from subword.explorer.samples import built_in

from tests.support.browsing import SMALL, counted, opened, tokens, write
from tests.support.exploring import Running, many_tokens, running

pytestmark = pytest.mark.browser


def open_file(page: Page, name: str, content: bytes) -> None:
    """Every byte arrives as it is; a text area knows one kind of line end only."""
    file = FilePayload(name=name, mimeType="application/octet-stream", buffer=content)
    page.locator("#view-text input[type=file]").set_input_files(file)


# Text


def test_a_text_is_shown_as_its_tokens(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        write(page, "and words")
        expect(tokens(page)).to_have_text(["and", " words"])
        expect(counted(page, "bytes/token")).to_have_text("4.50")
        tokens(page).nth(1).hover()
        facts = page.locator(".inspector dd")
        id = SMALL.token_id(" words")
        expect(facts).to_have_text(
            [
                str(id),
                "20 77 6F 72 64 73",
                "3 to 8",
                "3 to 8",
                "1 time",
                re.compile("merge of rank"),
            ]
        )
        write(page, "")
        expect(tokens(page)).to_have_count(0)


def test_a_token_within_a_character_is_shown_as_bytes(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        write(page, "né")
        expect(tokens(page)).to_have_text(["n", "C3", "A9"])
        tokens(page).nth(2).hover()
        expect(page.locator(".inspector dd")).to_contain_text(["A9", "1", "2"])


def test_special_tokens_count_where_they_are_asked_for(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        write(page, "<|endoftext|>")
        page.locator("#view-text").get_by_label("Recognise special tokens").check()
        expect(tokens(page)).to_have_text(["<|endoftext|>"])
        tokens(page).first.hover()
        expect(page.locator(".inspector")).to_contain_text("no merge: a special token")


def test_a_file_that_is_no_text_is_shown_as_it_is(browser: Browser, explorer: Running) -> None:
    raw = b"low \xff\xfe\xc3(\x00\xe4\xbd"
    with opened(browser, explorer) as page:
        open_file(page, "odd.bin", raw)
        expect(counted(page, "bytes")).to_have_text(str(len(raw)))
        shown = " ".join(page.locator("#view-text .raw").all_text_contents())
        assert shown == "FF FE C3 E4 BD"
        expect(page.locator("#view-text .hidden-character")).to_have_text(["NUL"])
        area = page.get_by_role("textbox", name="Text", exact=True)
        expect(area).to_have_attribute(
            "placeholder", re.compile("odd.bin has 11 bytes that are not UTF-8")
        )
        last = tokens(page).last
        last.hover()
        expect(page.locator(".inspector dd").nth(2)).to_have_text("10")
        page.locator("#view-text").get_by_role("button", name="Clear").click()
        expect(area).to_be_editable()


def test_a_file_is_dropped(browser: Browser, explorer: Running) -> None:
    drop = """
        (box) => {
          const data = new DataTransfer();
          data.items.add(new File(["and words"], "dropped.txt"));
          for (const type of ["dragover", "drop"]) {
            const settings = { dataTransfer: data, bubbles: true, cancelable: true };
            box.dispatchEvent(new DragEvent(type, settings));
          }
        }
    """
    with opened(browser, explorer) as page:
        expect(tokens(page).first).to_be_visible()
        page.locator("#view-text .input-box").evaluate(drop)
        expect(tokens(page)).to_have_text(["and", " words"])
        expect(page.locator("#view-text .input-box .note")).to_have_text("dropped.txt")
        expect(page.locator(".dropping")).to_have_count(0)


def test_hostile_text_stays_text(browser: Browser, explorer: Running) -> None:
    text = (
        '<script>alert(1)</script><img src=x onerror="alert(2)">\n'
        "\u202eevil\u202c \u200b\u200d\ufeff שלום مرحبا e\u0301 \u0301x \U000e0041 a\u00a0b\r\n"
        "\x1b[0m"
        "</textarea></span>&lt;&#0;"
    )
    with opened(browser, explorer) as page:
        open_file(page, "hostile.txt", text.encode())
        expect(counted(page, "tokens")).to_have_text(f"{SMALL.count(text):,}")
        flow = page.locator("#view-text .flow")
        assert page.locator("main script, main img").count() == 0
        expect(flow).to_contain_text("script")
        names = flow.locator(".hidden-character").all_text_contents()
        for name in ("ESC", "␍", "↵"):
            assert name in names
        # Nothing invisible is left, and right-to-left text turns only itself.
        assert not re.search("[\u202e\u202c\u200b\u200d\ufeff\u00a0\x1b\r]", flow.inner_text())
        assert tokens(page).first.evaluate("one => getComputedStyle(one).unicodeBidi") == "isolate"
        boxes = tokens(page).evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().toJSON())"
        )
        for before, after in pairwise(boxes):
            assert after["top"] > before["top"] + 5 or after["left"] > before["left"]
        # Every view takes it.
        for view in ("compare", "vocabulary", "tree/65", "train"):
            page.goto(f"{explorer.address}#{view}")
            panel = page.locator(f"#view-{view.partition('/')[0]}")
            expect(panel).to_be_visible()
            assert page.locator("main script, main img").count() == 0
        page.get_by_label("Text to learn from").fill(text)
        page.get_by_role("button", name="Train", exact=True).click()
        expect(page.locator("#view-train .hidden-character").first).to_be_visible()


def test_a_special_token_that_is_hostile_stays_text(browser: Browser) -> None:
    evil = "<img src=x onerror=alert(1)>"
    tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], [evil])
    with (
        running([Explored(evil, tok)]) as explorer,
        opened(browser, explorer, "vocabulary") as page,
    ):
        page.get_by_role("searchbox").fill("#256")
        chips = page.locator("#view-vocabulary .space .chip")
        expect(chips).to_have_text([evil.replace(" ", "␣")])
        assert page.locator("main img").count() == 0


def test_a_megabyte_is_shown_a_screen_at_a_time(browser: Browser, explorer: Running) -> None:
    line = "The lowest of the low, naïve 你好, reads words and parts of words.\n"
    text = line * (1_000_000 // len(line.encode()) + 1) + "the end"
    raw = text.encode()
    assert len(raw) > 1_000_000
    many = SMALL.count(text)
    with opened(browser, explorer) as page:
        open_file(page, "large.txt", raw)
        expect(counted(page, "tokens")).to_have_text(f"{many:,}")
        expect(counted(page, "bytes")).to_have_text(f"{len(raw):,}")
        area = page.get_by_role("textbox", name="Text", exact=True)
        expect(area).to_have_attribute("placeholder", re.compile("too many to be edited"))
        assert 0 < tokens(page).count() < 5_000
        assert page.locator("#view-text .block").count() < 20_000
        last = page.locator(f"#flow-1-{many - 1}")
        expect(last).to_have_count(0)
        page.locator("#view-text .flow").focus()
        page.keyboard.press("End")
        expect(last).to_be_in_viewport()
        expect(last).to_have_attribute("aria-posinset", str(many))
        expect(page.locator(".inspector dd").nth(2)).to_contain_text(f"{len(text) - 1:,}")
        assert tokens(page).count() < 5_000
        page.keyboard.press("Home")
        expect(page.locator("#flow-1-0")).to_be_in_viewport()
        expect(last).to_have_count(0)
        page.locator("#tokenizer").select_option("1")
        smaller = built_in()[1].tok.count(text)
        expect(counted(page, "tokens")).to_have_text(f"{smaller:,}")


def test_of_a_token_without_end_the_start_is_shown(browser: Browser) -> None:
    tok = Tokenizer.wordpiece(["[UNK]", "low"])
    raw = b"low " + b"\x7f" * 1000 + "é".encode() * 400_000 + b" " * 5000
    with running([Explored("words", tok)]) as explorer, opened(browser, explorer) as page:
        open_file(page, "odd.txt", raw)
        expect(counted(page, "bytes")).to_have_text(f"{len(raw):,}")
        expect(tokens(page)).to_have_count(2)
        flow = page.locator("#view-text .flow")
        expect(flow.locator(".note")).to_have_text(
            [re.compile("and 79[0-9],[0-9]{3} more bytes"), re.compile("and 3,000 more bytes")]
        )
        assert flow.locator("*").count() < 3000


def test_a_large_text_that_is_pasted_is_not_edited(browser: Browser, explorer: Running) -> None:
    text = "low " * 30_000
    allowed = ["clipboard-read", "clipboard-write"]
    with opened(browser, explorer, permissions=allowed) as page:
        area = page.get_by_role("textbox", name="Text", exact=True)
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        area.focus()
        page.keyboard.press("Control+v")
        expect(counted(page, "bytes")).to_have_text("120,000")
        expect(area).not_to_be_editable()
        page.locator("#view-text").get_by_role("button", name="Clear").click()
        expect(counted(page, "bytes")).to_have_text("0")
        expect(area).to_be_editable()


def test_text_that_is_lost_is_marked(browser: Browser) -> None:
    tok = Tokenizer.wordpiece(["[UNK]", "low", "##er"])
    with running([Explored("words", tok)]) as explorer, opened(browser, explorer) as page:
        page.get_by_role("textbox", name="Text", exact=True).fill("lower  than")
        expect(tokens(page)).to_have_text(["low", "er", "than"])
        expect(page.locator(".token.unknown")).to_have_text(["than"])
        expect(counted(page, "unknown")).to_have_text("1")
        expect(page.locator("#view-text .gap")).to_have_count(1)
        page.get_by_role("tab", name="Compare").click()
        expect(page.locator("#view-compare tbody .tag").first).to_have_text("18 unknown")
        expect(page.locator("#view-compare")).to_contain_text("One tokenizer is loaded.")


# Compare


def test_what_differs_between_tokenizers_is_marked(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, "compare") as page:
        page.get_by_label("Text to compare").fill("the whole lowest")
        answer = explorer.ask("compare", text="the whole lowest")["compared"]
        for at, one in enumerate(answer):
            column = page.locator(".columns article").nth(at)
            expect(column.locator(".token")).to_have_count(one["tokens"])
            expect(column.locator(".token:not(.same)")).to_have_count(len(one["different"]))
        assert answer[1]["different"]
        rows = page.locator("#view-compare tbody tr")
        expect(rows).to_have_count(len(explorer.ask("samples")["samples"]))
        expect(rows.first.locator("td")).to_have_count(3)
        page.get_by_role("checkbox", name="smaller").uncheck()
        expect(page.locator(".columns article")).to_have_count(1)
        expect(page.locator("#view-compare [role=status]")).to_contain_text("Choose two")


# Merge tree


def test_a_click_shows_how_a_token_was_built(browser: Browser, explorer: Running) -> None:
    id = SMALL.token_id(" words")
    steps = explorer.ask("token", id=id)["steps"]
    with opened(browser, explorer) as page:
        write(page, "and words")
        tokens(page).nth(1).click()
        page.get_by_role("link", name="How it was built").click()
        expect(page).to_have_url(re.compile(f"#tree/{id}[?]"))
        expect(page.locator("#view-tree h2")).to_have_text("Token ␣words")
        rows = page.locator("#view-tree tbody tr")
        expect(rows).to_have_count(len(steps) + 1)
        expect(rows.last.locator("td")).to_have_text(
            [str(len(steps)), f"{steps[-1]['rank']}", f"{steps[-1]['count']}", "␣words"]
        )
        expect(page.locator("#view-tree .node")).to_have_count(2 * len(steps) + 1)
        expect(page.locator("#view-tree .node.later")).to_have_count(0)
        for _ in steps:
            page.get_by_role("button", name="Back").click()
        expect(page.locator("#view-tree .node.later")).to_have_count(len(steps))
        expect(page.locator("#view-tree .step-status")).to_contain_text("Before any merge")
        page.get_by_role("button", name="Forward").click()
        expect(page.locator("#view-tree .step-status")).to_contain_text(f"Step 1 of {len(steps)}")
        page.locator("#view-tree .node.link").first.click()
        expect(page).not_to_have_url(re.compile(f"#tree/{id}[?]"))
        page.go_back()
        expect(page.locator("#view-tree h2")).to_have_text("Token ␣words")


def test_an_error_is_told_on_the_page(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, "tree", expected="404 (Not Found)") as page:
        expect(page.locator("#view-tree h2").first).to_contain_text("Token")
        page.get_by_label("Token", exact=True).fill("#999999")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("no token has id 999999")
        page.get_by_role("tab", name="Text").click()
        expect(page.get_by_role("alert")).to_be_hidden()


# Vocabulary


def test_two_hundred_thousand_tokens_are_searched_and_sorted(browser: Browser) -> None:
    tok = many_tokens()
    assert tok.vocab_size == 200_000
    with (
        running([Explored("many", tok)]) as explorer,
        opened(browser, explorer, "vocabulary") as page,
    ):
        status = page.locator("#view-vocabulary [role=status]")
        rows = page.locator("#view-vocabulary .space .row")
        chips = page.locator("#view-vocabulary .space .chip")
        expect(status).to_have_text("200,000 tokens")
        assert rows.count() < 100
        grid = page.get_by_role("grid")
        expect(grid).to_have_attribute("aria-rowcount", "200000")
        grid.focus()
        page.keyboard.press("End")
        expect(page.locator("#list-1-199999")).to_be_in_viewport()
        expect(page.locator("#list-1-199999 [role=gridcell]").first).to_have_text("199999")
        assert rows.count() < 100
        page.get_by_role("searchbox").fill("xyz")
        matching = sum(b"xyz" in token for token in tok.vocab.values())
        expect(status).to_have_text(f"{matching:,} of 200,000 tokens")
        expect(chips.first).to_contain_text("xyz")
        page.get_by_role("button", name="Token", exact=True).click()
        first = min(token for token in tok.vocab.values() if b"xyz" in token)
        expect(chips.first).to_have_text(first.decode().replace(" ", "␣"))
        page.get_by_role("searchbox").fill("#300-302")
        expect(chips).to_have_count(3)
        page.get_by_role("searchbox").fill("0x80")
        page.get_by_role("checkbox", name="starting inside").check()
        expect(chips).to_have_text(["80"])


def test_filters_of_the_vocabulary_add_up(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, "vocabulary") as page:
        status = page.locator("#view-vocabulary [role=status]")
        expect(status).to_have_text("600 tokens")
        page.get_by_label("Script").select_option("Latin")
        latin = explorer.ask("vocabulary", script="Latin")["total"]
        expect(status).to_have_text(f"{latin} of 600 tokens")
        page.get_by_label("Bytes from").fill("5")
        long = explorer.ask("vocabulary", script="Latin", min_length=5)["total"]
        expect(status).to_have_text(f"{long} of 600 tokens")
        page.get_by_role("button", name="Bytes").click()
        expect(page.get_by_role("columnheader", name="Bytes")).to_have_attribute(
            "aria-sort", "descending"
        )
        longest = max(len(token) for id, token in SMALL.vocab.items() if id < 599)
        row = page.locator("#list-1-0 [role=gridcell]")
        expect(row.nth(2)).to_have_text(str(longest))
        row.nth(1).locator("a").click()
        expect(page.locator("#view-tree h2")).to_contain_text("Token")


# Train


def test_a_training_is_played_forward_and_back(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer, "train") as page:
        title = page.locator(".round-title")
        expect(title).to_have_text("Round 1: s + t → st")
        expect(page.locator("#view-train [role=status]")).to_contain_text(
            "It occurs 9 times among 95 tokens. Another pair occurs as often"
        )
        expect(page.locator(".tie-row")).to_have_count(1)
        expect(page.locator(".chosen-row")).to_contain_text("9s+tchosen")
        expect(page.locator(".chosen-pair")).to_have_text("st")
        page.get_by_role("button", name="Forward").click()
        expect(title).to_have_text("Round 2: e + st → est")
        page.get_by_role("button", name="Back").click()
        expect(title).to_have_text("Round 1: s + t → st")
        page.get_by_label("Of equal pairs").select_option("smallest-ids")
        page.get_by_label("Merges").fill("3")
        page.get_by_role("button", name="Train", exact=True).click()
        expect(title).to_have_text("Round 1: e + s → es")
        page.clock.install()
        page.get_by_role("button", name="Play").click()
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        page.clock.run_for(10_000)
        expect(title).to_have_text("After 3 merges: as many as were asked for")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
