"""The explorer for everybody: colours, contrast, narrow screens, keyboard, screen readers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from subword.explorer.samples import built_in

from tests.support.browsing import opened, tokens, write
from tests.support.exploring import Running, running

pytestmark = pytest.mark.browser

NARROW = {"width": 390, "height": 844}

#: What there is in a view when it is ready.
READY = {
    "text": ".token",
    "compare": "tbody tr",
    "tree": "tbody tr",
    "vocabulary": ".chip",
    "train": ".chip",
}


def test_colours_follow_the_system_and_the_switch(browser: Browser, explorer: Running) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(251, 250, 246)", "rgb(22, 22, 20)"
    with opened(browser, explorer, color_scheme="dark") as page:
        assert page.evaluate(paper) == dark
        colours = page.get_by_role("button", name="Colours")
        expect(colours).to_have_accessible_name("Colours: as the system")
        colours.click()
        expect(colours).to_have_accessible_name("Colours: light")
        assert page.evaluate(paper) == light
        page.reload()
        expect(colours).to_have_accessible_name("Colours: light")
        assert page.evaluate(paper) == light
        colours.click()
        expect(colours).to_have_accessible_name("Colours: dark")
        colours.press("Enter")
        expect(colours).to_have_accessible_name("Colours: as the system")
        assert page.evaluate(paper) == dark
        page.emulate_media(color_scheme="light")
        assert page.evaluate(paper) == light


CONTRAST = """
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const luminance = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const found = [];
  for (const one of document.querySelectorAll(".box, .hidden-character, .note, .about, dt, th")) {
    if (!one.checkVisibility()) continue;
    let behind = one;
    const paperOf = (element) => getComputedStyle(element).backgroundColor;
    while (paperOf(behind) === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    const [ink, paper] = [getComputedStyle(one).color, paperOf(behind)];
    found.push(contrast(luminance(ink), luminance(paper)));
  }
  return Math.min(...found);
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read(browser: Browser, explorer: Running, scheme: str) -> None:
    with opened(browser, explorer, color_scheme=scheme) as page:
        expect(tokens(page).first).to_be_visible()
        for view in ("text", "compare", "vocabulary", "train"):
            page.goto(f"{explorer.address}#{view}")
            expect(page.locator(f"#view-{view} {READY[view]}").first).to_be_visible()
            assert page.evaluate(CONTRAST) >= 4.5, view


@pytest.mark.parametrize("width", [320, 360, NARROW["width"]])
def test_a_narrow_screen_has_no_sideways(browser: Browser, explorer: Running, width: int) -> None:
    with opened(browser, explorer, viewport={**NARROW, "width": width}) as page:
        for view in ("text", "compare", "tree/300", "vocabulary", "train"):
            page.goto(f"{explorer.address}#{view}")
            name = view.partition("/")[0]
            expect(page.locator(f"#view-{name} {READY[name]}").first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
            right = page.get_by_role("tab").last.evaluate(
                "one => one.getBoundingClientRect().right"
            )
            assert right <= width, view


def test_the_keyboard_is_enough(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        expect(tokens(page).first).to_be_visible()
        page.keyboard.press("Tab")
        tab = page.get_by_role("tab", name="Text")
        expect(tab).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("tab", name="Train")).to_be_focused()
        expect(page.locator("#view-train")).to_be_visible()
        page.keyboard.press("Home")
        expect(tab).to_be_focused()
        outline = tab.evaluate("one => getComputedStyle(one).outlineStyle")
        assert outline == "solid"
        area = page.get_by_role("textbox", name="Text", exact=True)
        for _ in range(7):  # tokenizer, open, colours; file, clear, special tokens, text
            page.keyboard.press("Tab")
        expect(area).to_be_focused()
        page.keyboard.press("Control+a")
        page.keyboard.type("and words")
        expect(tokens(page)).to_have_text(["and", " words"])
        for _ in range(6):  # ids, white space, copies of three, tokens
            page.keyboard.press("Tab")
        flow = page.get_by_role("listbox", name="Tokens")
        expect(flow).to_be_focused()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(flow).to_have_attribute("aria-activedescendant", "flow-1-1")
        expect(page.locator(".inspector .chip")).to_have_text("␣words")
        page.keyboard.press("Enter")
        expect(page.locator("#view-tree h2")).to_have_text("Token ␣words")


def test_those_who_listen_are_told(browser: Browser, explorer: Running) -> None:
    with opened(browser, explorer) as page:
        write(page, "and words")
        expect(page.locator("#view-text p[role=status]")).to_have_text(
            "2 tokens, 4.50 bytes per token"
        )
        expect(page.locator(".inspector")).to_have_attribute("aria-live", "polite")
        panel = page.get_by_role("tabpanel", name="Text")
        expect(panel).to_be_visible()
        expect(page.get_by_role("tab", selected=True)).to_have_text("Text")
        flow = page.get_by_role("listbox", name="Tokens")
        expect(flow.get_by_role("option")).to_have_count(2)
        unnamed = """
            () => [...document.querySelectorAll("input, select, textarea, button")]
              .filter((one) => !(one.ariaLabel || one.labels?.length || one.textContent)).length
        """
        for view in ("text", "compare", "tree", "vocabulary", "train"):
            page.goto(f"{explorer.address}#{view}")
            expect(page.locator(f"#view-{view}")).to_be_visible()
        assert page.evaluate(unnamed) == 0


def test_a_server_that_has_ended_is_told(browser: Browser) -> None:
    with running(built_in()) as explorer:
        context = browser.new_context()
        page = context.new_page()
        page.goto(explorer.address)
        expect(tokens(page).first).to_be_visible()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    tokens(page).first.hover()
    expect(page.get_by_role("alert")).to_contain_text("has it been ended?")
    page.get_by_role("textbox", name="Text", exact=True).fill("low")
    page.get_by_role("tab", name="Vocabulary").click()
    expect(page.get_by_role("alert")).to_contain_text("has it been ended?")
    expect(page).to_have_url(re.compile("text=low"))  # what was typed has arrived: it still says so
    expect(page.get_by_role("alert")).to_contain_text("has it been ended?")
    context.close()
    assert not wrong
