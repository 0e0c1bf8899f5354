"""Takes the pictures of the explorer: `make pictures`, or `make pictures CORPUS=text.txt`.

A tokenizer learns from the corpus, the explorer runs, Chromium opens it and takes a picture of each
view: what a user sees, made anew. Needs Chromium (`make browser`).
"""

from __future__ import annotations

import argparse
import pydoc_data
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from subword import BpeTrainer, truncate
from subword.explorer import Explored
from subword.explorer.server import listening, server_of

HERE = Path(__file__).parent
SIZE = ViewportSize(width=1200, height=720)
VOCAB_SIZES = (32_000, 8_000)


def explored(corpus: list[Path]) -> list[Explored]:
    """A tokenizer that has just learned, and the smaller one that it once was."""
    large, small = VOCAB_SIZES
    tok = BpeTrainer(vocab_size=large, special_tokens=["<|endoftext|>"]).train(corpus)
    first = Explored(f"mine-{large // 1000}k", tok)
    return [first, Explored(f"mine-{small // 1000}k", truncate(tok, small), first.counts)]


def of_text(page: Page) -> None:
    """A text, and one of its tokens."""
    page.locator("#view-text .token").filter(has_text="est").first.click()
    page.locator(".inspector dd").first.wait_for()


def of_comparing(page: Page) -> None:
    """Two tokenizers on the same text."""
    page.locator("#view-compare tbody tr").first.wait_for()


def of_tree(page: Page) -> None:
    """A token in the middle of its merges."""
    page.locator("#view-tree .node").first.wait_for()
    page.get_by_role("button", name="Back").click()


def of_vocabulary(page: Page) -> None:
    """The longest tokens with a word in them."""
    page.get_by_role("searchbox").fill("ation")
    page.get_by_role("button", name="Bytes").click()
    page.get_by_role("columnheader", name="Bytes ↓").wait_for()


def of_training(page: Page) -> None:
    """Some rounds into a training."""
    page.locator("#view-train .chip").first.wait_for()
    for _ in range(3):
        page.get_by_role("button", name="Forward").click()


def take(
    browser: Browser, address: str, view: str, scheme: str, ready: Callable[[Page], None], to: Path
) -> None:
    """One picture, when nothing moves any more."""
    dark = scheme == "dark"
    page = browser.new_page(viewport=SIZE, color_scheme="dark" if dark else "light")
    page.goto(f"{address}#{view}")
    ready(page)
    page.wait_for_load_state("networkidle")
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")  # where a click was may be further down
    page.screenshot(path=to, animations="disabled", caret="hide")
    page.close()
    print(f"{to.name}  {to.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Take all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(pydoc_data.__path__[0], "topics.py")
    parser.add_argument("corpus", nargs="*", type=Path, default=[default])
    parser.add_argument("--out", type=Path, default=HERE / "pictures")
    parser.add_argument("--word", default=" international", help="the token whose tree is shown")
    args = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("no Chromium: `make browser` installs it")
    tokenizers = explored(args.corpus)
    tok = tokenizers[0].tok
    word = tok.encode(args.word)[0]
    listener = listening()
    server, address = server_of(tokenizers, listener)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    args.out.mkdir(exist_ok=True)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            take(browser, address, "text", "light", of_text, args.out / "text.png")
            take(browser, address, "compare", "dark", of_comparing, args.out / "compare.png")
            take(browser, address, f"tree/{word}", "light", of_tree, args.out / "tree.png")
            take(
                browser, address, "vocabulary", "light", of_vocabulary, args.out / "vocabulary.png"
            )
            take(browser, address, "train", "dark", of_training, args.out / "train.png")
            browser.close()
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


if __name__ == "__main__":
    main()
