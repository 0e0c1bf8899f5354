"""The checks of the source tree, on a tiny tree that breaks every rule once, on purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.map_page import Layer, layers_of, named_on_map
from tests.support.source_map import (
    Rules,
    check_layers,
    rust_code,
    violations,
)

RULES = Rules(
    threads=frozenset({"parallel"}),
    files=frozenset({"formats"}),
    unsafe=("crates/subword-core/src/simd/", "crates/subword-py/src/text.rs"),
)

PAGE = """# Architecture

## The rooms

```text
crates/subword-core/      the engine
  src/lib.rs                the public names
  src/error.rs vocab.rs     what went wrong; token bytes and ids,
                            both ways
  src/simd/                 scans
  src/bpe/                  one piece to ids
    pairs.rs                  pair to rank
  src/pretok.rs             text to pieces
    pretok/scan.rs            by hand
  src/formats.rs parallel.rs   files to a model; threads
  src/tokenizer.rs          the assembly
crates/subword-py/        the door
  src/lib.rs text.rs        the module; characters
python/subword/           the face
  __init__.py _counts.py    the public names; counts
  _cli/                     the command line
    run.py
  explorer/ integrations/   a page; other libraries
  reference/                plain Python
    merge.py                  merging
```

## Who may know whom

```text
subword-py
    |
tokenizer                 the assembly
    |
formats  parallel         what reaches out of the engine
    |
bpe  pretok               the stages: none knows another
    |
vocab  error  simd        plain data
```

A room uses what is below it.
"""

TREE = {
    "ARCHITECTURE.md": PAGE,
    "crates/subword-core/src/lib.rs": "mod bpe;\npub use error::{Error, Result};\n",
    "crates/subword-core/src/error.rs": "pub struct Error;\n",
    "crates/subword-core/src/vocab.rs": "use crate::Error;\n",
    "crates/subword-core/src/simd/mod.rs": "fn load() { unsafe { read() } }\n",
    "crates/subword-core/src/bpe/mod.rs": (
        "//! Uses no [`crate::tokenizer`].\nmod pairs;\n#[cfg(test)]\nmod tests;\n"
    ),
    "crates/subword-core/src/bpe/pairs.rs": "use super::super::vocab;\nuse crate::error::E;\n",
    "crates/subword-core/src/bpe/tests.rs": "use crate::tokenizer;\nuse std::thread::spawn;\n",
    "crates/subword-core/src/pretok.rs": "mod scan;\n",
    "crates/subword-core/src/pretok/scan.rs": "use crate::{error::Error, vocab};\n",
    "crates/subword-core/src/formats.rs": "use std::fs::File;\nfn f() { File::open(p) }\n",
    "crates/subword-core/src/parallel.rs": "use std::thread;\nfn f() { thread::scope(|s| ()) }\n",
    "crates/subword-core/src/tokenizer.rs": (
        "use crate::bpe::Pairs;\nuse crate::pretok;\nfn f() { thread::available_parallelism() }\n"
    ),
    "crates/subword-py/src/lib.rs": "use subword_core::Tokenizer;\n",
    "crates/subword-py/src/text.rs": "unsafe fn characters() {}\n",
    "python/subword/__init__.py": "from subword._counts import Counts\n",
    "python/subword/_counts.py": "class Counts: ...\n",
    "python/subword/_cli/__init__.py": "from subword._cli.run import main\n",
    "python/subword/_cli/run.py": "import subword\nfrom subword import Counts, __version__\n",
    "python/subword/explorer/__init__.py": "from . import _nothing\n",
    "python/subword/integrations/__init__.py": "import json\n",
    "python/subword/reference/__init__.py": "from subword.reference.merge import merge\n",
    "python/subword/reference/merge.py": "import heapq\n",
}

Write = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def broken(tmp_path: Path) -> Write:
    """Writes the tree with some files changed or added, and tells what is reported."""

    def write(files: dict[str, str]) -> list[tuple[str, str]]:
        for name, text in (TREE | files).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return [(found.rule, found.place) for found in violations(tmp_path, RULES)]

    return write


def core(name: str, text: str) -> dict[str, str]:
    """A file of the engine with a text behind what it has."""
    path = f"crates/subword-core/src/{name}"
    return {path: TREE.get(path, "") + text}


def face(name: str, text: str) -> dict[str, str]:
    path = f"python/subword/{name}"
    return {path: TREE.get(path, "") + text}


def test_a_tree_that_keeps_the_rules_is_not_reported(broken: Write) -> None:
    assert broken({}) == []


@pytest.mark.parametrize(
    "text",
    [
        "use crate::tokenizer::Tokenizer;",
        "pub(crate) use crate::tokenizer;",
        "use crate::{\n    error::Error,\n    tokenizer::{Tokenizer, Worker},\n};",
        "use crate::{tokenizer as t, vocab};",
        "fn f() -> crate::tokenizer::Tokenizer {}",
        "use super::super::tokenizer::Tokenizer;",
        'const QUOTE: char = \'"\'; use crate::tokenizer::T; const END: &str = "";',
    ],
)
def test_a_room_that_uses_a_higher_one_is_reported(broken: Write, text: str) -> None:
    assert broken(core("bpe/pairs.rs", text)) == [("uses", "bpe -> tokenizer")]


def test_a_name_that_the_root_has_from_a_room_is_of_that_room(broken: Write) -> None:
    files = core("lib.rs", "pub use tokenizer::{Tokenizer, Worker};")
    assert broken(files | core("vocab.rs", "use crate::Worker;")) == [
        ("uses", "vocab -> tokenizer")
    ]


def test_a_stage_that_uses_another_is_reported(broken: Write) -> None:
    assert broken(core("bpe/mod.rs", "use super::pretok::Splitter;")) == [("uses", "bpe -> pretok")]


def test_rooms_beside_each_other_may_use_each_other_where_no_note_forbids_it(broken: Write) -> None:
    assert broken(core("vocab.rs", "use crate::simd::load;")) == []


@pytest.mark.parametrize(
    "text",
    [
        "// use crate::tokenizer::Tokenizer;",
        "/* use crate::tokenizer; /* nested */ use crate::tokenizer; */",
        'const HINT: &str = "use \\"crate::tokenizer\\"";',
        'const HINT: &str = r#"a "quoted" crate::tokenizer"#;',
        "pub(in crate::tokenizer) fn f() {}",
        "#[cfg(test)]\nmod tests {\n    use crate::tokenizer::T;\n    fn f() { if x { y } }\n}\n",
        "#[cfg(test)]\nuse crate::tokenizer::Tokenizer;",
        "fn f<'a>(x: &'a str) -> &'a str { x }",
    ],
)
def test_comments_strings_and_tests_use_nothing(broken: Write, text: str) -> None:
    assert broken(core("bpe/pairs.rs", text)) == []


def test_the_lines_after_what_is_taken_out_keep_their_numbers() -> None:
    source = 'a\n/* b\n*/ c\n"d\n"\n#[cfg(test)]\nmod tests {\n    e\n}\nf\n'
    lines = rust_code(source).split("\n")
    assert [lines[0], lines[2].strip(), lines[9]] == ["a", "c", "f"]
    assert not {"b", "d", "e"} & {line.strip() for line in lines}


def test_a_room_without_a_layer_and_a_layer_without_a_room_are_reported(tmp_path: Path) -> None:
    page = PAGE.replace("vocab  error  simd        plain", "vocab  errors  simd        plain")
    for name, text in (TREE | {"ARCHITECTURE.md": page}).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert [str(found) for found in sorted(check_layers(tmp_path))] == [
        "layers: error: has no layer",
        "layers: errors: has a layer and is no room",
    ]


@pytest.mark.parametrize(
    "text",
    ["fn f() { std::thread::spawn(g) }", "use std::thread::{Builder, scope};"],
)
def test_a_room_that_may_not_start_threads_is_reported(broken: Write, text: str) -> None:
    assert broken(core("tokenizer.rs", text)) == [("threads", "tokenizer")]


@pytest.mark.parametrize(
    "text", ["use std::fs;", "fn f() { fs::read(p) }", "fn f() { File::create(p) }"]
)
def test_a_room_that_may_not_touch_files_is_reported(broken: Write, text: str) -> None:
    assert broken(core("tokenizer.rs", text)) == [("files", "tokenizer")]


def test_the_door_starts_no_threads_and_touches_no_files(broken: Write) -> None:
    text = "fn f() { thread::spawn(g); fs::read(p) }"
    found = broken({"crates/subword-py/src/lib.rs": text})
    assert found == [("files", "subword-py"), ("threads", "subword-py")]


@pytest.mark.parametrize(
    "path", ["crates/subword-core/src/bpe/tests.rs", "crates/subword-py/src/lib.rs"]
)
def test_unsafe_code_elsewhere_is_reported(broken: Write, path: str) -> None:
    assert broken({path: "fn f() { unsafe { g() } }"}) == [("unsafe", path)]
    assert broken({path: '#![deny(unsafe_code)] // unsafe\nconst S: &str = "unsafe";'}) == []


@pytest.mark.parametrize(
    "path",
    [
        "crates/subword-core/src/bpe/short.rs",
        "crates/subword-core/src/pretok/mod.rs",
        "crates/subword-py/src/arrays.rs",
        "python/subword/explorer/app.py",
    ],
)
def test_a_file_that_is_not_on_the_map_is_reported(broken: Write, path: str) -> None:
    assert broken({path: ""}) == [("map", path)]


def test_a_name_on_the_map_that_does_not_exist_is_reported(broken: Write) -> None:
    page = PAGE.replace("    pairs.rs  ", "    pairs.rs long.rs").replace("plain Python", "none")
    assert broken({"ARCHITECTURE.md": page}) == [("map", "crates/subword-core/src/bpe/long.rs")]


@pytest.mark.parametrize("folder", ["_cli", "explorer", "integrations"])
@pytest.mark.parametrize(
    "text",
    [
        "from subword._counts import Counts",
        "from subword import _counts",
        "import subword._counts as counts",
        "from .. import _counts",
        "from .._counts import Counts",
        "import subword\nsubword._counts.Counts()",
        "def f():\n    from subword._counts import Counts",
        "import importlib\nimportlib.import_module('subword._counts')",
    ],
)
def test_a_guest_that_uses_a_private_module_is_reported(
    broken: Write, folder: str, text: str
) -> None:
    found = broken(face(f"{folder}/__init__.py", text))
    assert found == [("private", f"{folder}/__init__.py -> subword._counts")]


def test_a_guest_may_not_use_the_private_parts_of_another(broken: Write) -> None:
    found = broken(face("explorer/__init__.py", "from subword._cli.run import main"))
    assert found == [("private", "explorer/__init__.py -> subword._cli")]


@pytest.mark.parametrize(
    "text", ["import subword", "from subword import Counts", "from .. import x"]
)
def test_a_reference_that_uses_the_package_is_reported(broken: Write, text: str) -> None:
    [(rule, place)] = broken(face("reference/merge.py", text))
    assert rule == "reference"
    assert place.startswith("reference/merge.py -> subword")


def test_the_page_is_read_as_it_is_written() -> None:
    assert layers_of(PAGE) == [
        Layer(("subword-py",), strangers=False),
        Layer(("tokenizer",), strangers=False),
        Layer(("formats", "parallel"), strangers=False),
        Layer(("bpe", "pretok"), strangers=True),
        Layer(("vocab", "error", "simd"), strangers=False),
    ]
    named = named_on_map(PAGE)
    assert "crates/subword-core/src/vocab.rs" in named
    assert "crates/subword-core/src/bpe/pairs.rs" in named
    assert "crates/subword-core/src/pretok/scan.rs" in named
    assert "python/subword/_cli/run.py" in named
    assert not any("both" in name for name in named)


def test_a_page_without_its_headings_is_an_error() -> None:
    with pytest.raises(ValueError, match='a block of text below the heading "The rooms"'):
        named_on_map(PAGE.replace("## The rooms", "## Rooms"))
