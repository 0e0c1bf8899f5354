"""The pages of this repository: what they link to is there. (Their examples run as doctests.)"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import subword

from tests.support.repository import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("bench/*.md"), *ROOT.glob("docs/**/*.md")])
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def links(page: Path) -> list[str]:
    """Where a page leads, other than to the web."""
    found = LINK.findall(CODE.sub("`", page.read_text(encoding="utf-8")))
    return [link for link in found if not link.startswith(("http:", "https:", "mailto:"))]


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links spell them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return {
        re.sub(r"[^\w -]", "", name.lower()).replace(" ", "-") for name in HEADING.findall(text)
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_links_only_to_what_exists(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{page.relative_to(ROOT)} links to {link}, which does not exist"
        if anchor:
            assert anchor in anchors(target), f"{page.relative_to(ROOT)}: no heading for {link}"


def test_every_guide_is_on_the_map() -> None:
    there = {Path("docs", link) for link in links(ROOT / "docs/index.md")}
    guides = {path.relative_to(ROOT) for path in ROOT.glob("docs/guide/*.md")}
    assert guides
    assert guides <= there


def test_every_chapter_is_on_the_ladder() -> None:
    folder = ROOT / "docs/concepts"
    there = {(folder / link).resolve() for link in links(folder / "index.md")}
    assert {path for path in folder.glob("*.md") if path.name != "index.md"} <= there


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs/decisions"
    there = {(folder / link).resolve() for link in links(folder / "index.md")}
    assert {path for path in folder.glob("*.md") if path.name != "index.md"} == there


def test_a_decision_has_a_question_numbers_and_an_outcome() -> None:
    wanted = ["The question", "What was tried", "Numbers", "Decision", "When to look again"]
    for page in ROOT.glob("docs/decisions/*.md"):
        if page.name != "index.md":
            title, *sections = HEADING.findall(page.read_text(encoding="utf-8"))
            assert title.endswith("?"), page.name
            assert sections == wanted, page.name


def test_a_page_that_the_code_names_exists() -> None:
    named = re.compile(r"\bdocs/[\w/-]+\.md")
    folders = ("crates", "python", "bench", "tests")
    files = [file for folder in folders for file in (ROOT / folder).glob("**/*.[rp][sy]")]
    for file in files:
        for page in named.findall(file.read_text(encoding="utf-8")):
            assert (ROOT / page).exists(), f"{file.relative_to(ROOT)} names {page}"


def test_the_reference_has_every_public_name() -> None:
    pages = [page.read_text(encoding="utf-8") for page in ROOT.glob("docs/reference/*.md")]
    named = {name for page in pages for name in re.findall(r"subword\.(\w+)", page)}
    assert {*subword.__all__} <= named


def test_the_tests_that_pages_name_exist() -> None:
    for page in ("ARCHITECTURE.md", "docs/guide/failures.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        named = re.findall(r"`(?:tests/)?((?:\w+/)+test_[\w*]+\.py)`", text)
        assert named
        assert [name for name in named if not list(ROOT.glob(f"tests/{name}"))] == [], page


def test_links_and_headings_are_read_as_they_are_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# What's it?\n\n[a](b.md#c), `[d](e)`, [f](https://g)\n```\n[h](i)\n# no\n```\n"
    )
    assert links(page) == ["b.md#c"]
    assert anchors(page) == {"whats-it"}
