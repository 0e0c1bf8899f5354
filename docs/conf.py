"""How Sphinx builds these pages: `make docs`.

The pages are written to be read in the repository as well, where links lead to files that are no
pages here. On the way in, a link to `ARCHITECTURE.md` becomes one to the page that shows it, and so
on; a link to a source file becomes a download.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import click
import subword
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from subword._cli import main

project = "subword"
author = "the authors of subword"
version = release = subword.__version__
html_title = f"subword {release}"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
source_suffix = {".md": "markdown"}

# The same anchors as on the web, so that links from page to page work in both places.
myst_heading_anchors = 3

# What is copied from an example is what one types: no prompts, no answers.
copybutton_prompt_text = r">>> |\.\.\. ?|\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
# The icon and the blue of the explorer.
html_favicon = "../python/subword/explorer/static/icon.svg"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f99", "color-brand-content": "#1f5f99"},
    "dark_css_variables": {"color-brand-primary": "#8fc1f0", "color-brand-content": "#8fc1f0"},
}
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False

autoclass_content = "both"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
default_role = "py:obj"

DOCS = Path(__file__).parent
ROOT = DOCS.parent

#: Files of the repository that are shown as a page.
SHOWN = {
    "project/architecture": ROOT / "ARCHITECTURE.md",
    "project/contributing": ROOT / "CONTRIBUTING.md",
    "project/changelog": ROOT / "CHANGELOG.md",
}

#: Which page stands for what is none.
INSTEAD = {file: DOCS / f"{page}.md" for page, file in SHOWN.items()}
INSTEAD[ROOT / "python/subword/reference"] = DOCS / "reference/algorithms.md"

LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")

#: Ends an example for doctest, and is nothing to look at.
LAST_LINE = re.compile(r"(?<=[^\n])\n\n```$", re.MULTILINE)


def read(_: Sphinx, page: str, source: list[str]) -> None:
    """The text of a page, with links that lead to pages."""
    written = SHOWN.get(page, DOCS / f"{page}.md")
    if page in SHOWN:
        source[0] = written.read_text(encoding="utf-8")
    here = (DOCS / page).parent

    def link(found: re.Match[str]) -> str:
        words, name, anchor = found.groups()
        target = (written.parent / name).resolve()
        target = INSTEAD.get(target, target)
        if not target.exists():
            return found[0]
        if target.is_dir() or (target.suffix == ".md" and DOCS not in target.parents):
            return words
        return f"[{words}]({os.path.relpath(target, here)}{anchor or ''})"

    source[0] = LAST_LINE.sub("\n```", LINK.sub(link, source[0]))


def pictures(_: Sphinx, what: str, __: str, ___: Any, ____: Any, lines: list[str]) -> None:
    """What is set in at the top of a module is code, or a picture: shown as it is written."""
    before, found = "", []
    for line in lines if what == "module" else ():
        if line.startswith("    ") and not before.startswith(" "):
            found += ["::", ""]
        found.append(line)
        before = line or before
    lines[:] = found or lines


class Commands(SphinxDirective):
    """A section for every command: its help, as it is printed."""

    def run(self) -> list[nodes.Node]:
        return [section(name, command) for name, command in sorted(main.commands.items())]


def section(name: str, command: click.Command) -> nodes.section:
    found = nodes.section(ids=[f"subword-{name}"], names=[f"subword {name}"])
    context = click.Context(command, info_name=f"subword {name}", max_content_width=88)
    help_ = command.get_help(context)
    found += [
        nodes.title(text=f"subword {name}"),
        nodes.literal_block(help_, help_, language="none"),
    ]
    return found


def setup(app: Sphinx) -> dict[str, Any]:
    """What these pages add to Sphinx."""
    app.add_directive("commands", Commands)
    app.connect("source-read", read)
    app.connect("autodoc-process-docstring", pictures)
    return {"parallel_read_safe": True}
