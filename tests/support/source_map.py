"""Checks of the source tree against the map in ``ARCHITECTURE.md``.

A check takes the root of a tree and rules, and returns what breaks them. It reads text alone: the
import statements of Python files by ``ast``, and of Rust files whatever is left when comments,
strings and tests are taken out. A *room* is a file or a folder right below
``crates/subword-core/src``: ``vocab.rs`` is the room ``vocab``, ``bpe/pairs.rs`` is in the room
``bpe``. `map_page` reads the page.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.map_page import PAGE, layers_of, named_on_map

CORE = "crates/subword-core/src"
DOOR = "crates/subword-py/src"
FACE = "python/subword"

#: The folders of the Python package that use public names alone.
GUESTS = ("_cli", "explorer", "integrations")


@dataclass(frozen=True, order=True)
class Violation:
    """A rule that is broken: its name, where, and what was found there."""

    rule: str
    place: str
    found: str = field(compare=False, default="")

    def __str__(self) -> str:
        return f"{self.rule}: {self.place}: {self.found}"


@dataclass(frozen=True)
class Rules:
    """Who may do what. Rooms are those of the engine; paths begin at the root of the repository."""

    #: The rooms that may start threads.
    threads: frozenset[str]
    #: The rooms that may open, write and remove files.
    files: frozenset[str]
    #: The files, and folders with a slash at their end, that may hold ``unsafe``.
    unsafe: tuple[str, ...]
    #: Private modules of the package that every folder may use.
    shared: frozenset[str] = frozenset()


def violations(root: Path, rules: Rules) -> list[Violation]:
    """Everything that is wrong, in order."""
    found = [
        *check_layers(root),
        *check_threads(root, rules),
        *check_files(root, rules),
        *check_unsafe(root, rules),
        *check_map(root),
        *check_guests(root, rules),
        *check_reference(root),
    ]
    return sorted(found)


# Rust

NOT_CODE = re.compile(
    r"""
    //[^\n]*                                            # a comment to the end of the line
    | /\*(?:[^*/]|\*(?!/)|/(?!\*)|/\*.*?\*/)*\*/        # a comment, which may hold another
    | \bb?r(?P<hashes>\#*)".*?"(?P=hashes)              # a raw string
    | "(?:\\.|[^"\\])*"                                 # a string
    | b?'(?:\\(?:u\{\w+\}|x..|.)|[^\\'\n])'             # a character, and not a lifetime
    """,
    re.VERBOSE | re.DOTALL,
)
TEST_ONLY = r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([\w: ]+\))? )?"
TEST_MODULE = re.compile(rf"{TEST_ONLY}mod (\w+)")
TEST_IMPORT = re.compile(rf"{TEST_ONLY}use [^;]*;")
STARTS_THREADS = re.compile(r"\bthread::(?!available_parallelism|current|sleep|yield_now)")
TOUCHES_FILES = re.compile(r"\bfs::|\bstd::fs\b|\bFile::|\bOpenOptions\b")


def only_lines(text: str) -> str:
    """So many empty lines, for what is taken out: the numbers of the other lines stay."""
    return "\n" * text.count("\n")


def rust_code(source: str) -> str:
    """A Rust file without its comments, its strings and its tests."""
    code = NOT_CODE.sub(lambda found: only_lines(found[0]) or " ", source)
    code = TEST_IMPORT.sub(lambda found: only_lines(found[0]), code)
    while found := re.search(TEST_MODULE.pattern + r"\s*\{", code):
        end = after_braces(code, found.end())
        code = code[: found.start()] + only_lines(code[found.start() : end]) + code[end:]
    return code


def after_braces(code: str, at: int) -> int:
    """The end of what began with the brace before ``at``."""
    depth = 1
    for brace in re.finditer(r"[{}]", code[at:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return at + brace.end()
    return len(code)


@dataclass(frozen=True)
class RustFile:
    """A source file, the names of the modules that it is in, and its code without the tests."""

    path: str
    module: tuple[str, ...]
    code: str

    @property
    def room(self) -> str:
        return self.module[0] if self.module else "lib"

    def lines_with(self, expression: re.Pattern[str]) -> str:
        """Where an expression is found, as ``path:line``, the first places of several."""
        lines = [at for at, line in enumerate(self.code.split("\n"), 1) if expression.search(line)]
        return f"{self.path}:{','.join(map(str, lines[:4]))}" if lines else ""


def rust_files(root: Path, top: str) -> list[RustFile]:
    """The sources below a folder, but for those that hold tests alone."""
    paths = sorted((root / top).rglob("*.rs"))
    modules = {path: module_of(path.relative_to(root / top)) for path in paths}
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    tests = {
        (*modules[path], name) for path, text in texts.items() for name in TEST_MODULE.findall(text)
    }
    return [
        RustFile(path.relative_to(root).as_posix(), module, rust_code(texts[path]))
        for path, module in modules.items()
        if not any(module[:depth] in tests for depth in range(1, len(module) + 1))
    ]


def module_of(path: Path) -> tuple[str, ...]:
    """``bpe/pairs.rs`` is the module ``bpe::pairs``, and ``bpe/mod.rs`` is ``bpe``."""
    names = path.with_suffix("").parts
    return names[:-1] if names[-1] in ("mod", "lib") else names


def paths_used(file: RustFile) -> Iterator[tuple[str, ...]]:
    """The first names, from the root of the crate on, of all paths that a file uses."""
    code = re.sub(r"\bpub\((?:in )?[\w: ]+\)", "", file.code)
    for found in re.finditer(r"\b(crate|(?:super::)*super)::(\{|\w+)", code):
        ups = found[1].count("super")
        start = file.module[: len(file.module) - ups] if ups else ()
        names = [found[2]]
        if found[2] == "{":
            inside = code[found.end() : after_braces(code, found.end()) - 1]
            names = [re.split(r"\W", part)[0] for part in parts_of(inside)]
        for name in names:
            yield (*start, name)


def parts_of(inside: str) -> list[str]:
    """What stands between the commas of ``{a::{b, c}, d}``: ``a::{b, c}`` and ``d``."""
    parts, depth = [""], 0
    for char in inside:
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def names_at_the_root(files: list[RustFile]) -> dict[str, str]:
    """The names that ``lib.rs`` takes from rooms to the root of the crate, each with its room."""
    found: dict[str, str] = {}
    for file in files:
        if file.room != "lib":
            continue
        for use in re.finditer(r"\buse (?:crate::)?(\w+)::([^;]*);", file.code):
            found |= dict.fromkeys(re.findall(r"\w+", use[2]), use[1])
    return found


def check_layers(root: Path) -> list[Violation]:
    """A room uses those below it. Every room has a layer, and every layer has rooms that exist."""
    layers = layers_of((root / PAGE).read_text(encoding="utf-8"))
    height = {room: -at for at, layer in enumerate(layers) for room in layer.rooms}
    strangers = {room for layer in layers if layer.strangers for room in layer.rooms}
    files = rust_files(root, CORE)
    rooms = {file.room for file in files} - {"lib"}
    exported = names_at_the_root(files)
    found = [Violation("layers", room, "has no layer") for room in rooms - height.keys()]
    gone = height.keys() - rooms - {"subword-py"}
    found += [Violation("layers", room, "has a layer and is no room") for room in gone]
    uses: dict[tuple[str, str], list[str]] = {}
    for file in files:
        for name, *_ in paths_used(file):
            used = name if name in rooms else exported.get(name, "")
            if used != file.room and file.room in height and used in height:
                uses.setdefault((file.room, used), []).append(file.path)
    for (room, used), paths in uses.items():
        if height[used] > height[room]:
            wrong = "uses a higher room"
        elif height[used] == height[room] and room in strangers:
            wrong = "uses another stage"
        else:
            continue
        found.append(Violation("uses", f"{room} -> {used}", f"{wrong}: {', '.join({*paths})}"))
    return found


def check_threads(root: Path, rules: Rules) -> list[Violation]:
    """Only some rooms start threads."""
    return check_rooms(root, "threads", STARTS_THREADS, rules.threads)


def check_files(root: Path, rules: Rules) -> list[Violation]:
    """Only some rooms touch files."""
    return check_rooms(root, "files", TOUCHES_FILES, rules.files)


def check_rooms(
    root: Path, rule: str, expression: re.Pattern[str], allowed: frozenset[str]
) -> list[Violation]:
    """Only these rooms of the engine, and no file of the door, hold what an expression finds."""
    places: dict[str, list[str]] = {}
    for file in [*rust_files(root, CORE), *rust_files(root, DOOR)]:
        room = file.room if file.path.startswith(CORE) else "subword-py"
        if room not in allowed and (lines := file.lines_with(expression)):
            places.setdefault(room, []).append(lines)
    return [Violation(rule, room, ", ".join(lines)) for room, lines in places.items()]


def check_unsafe(root: Path, rules: Rules) -> list[Violation]:
    """``unsafe`` stays in its few places. Tests are looked at, too."""
    found = []
    for path in sorted([*(root / CORE).rglob("*.rs"), *(root / DOOR).rglob("*.rs")]):
        name = path.relative_to(root).as_posix()
        code = NOT_CODE.sub("", path.read_text(encoding="utf-8"))
        if re.search(r"\bunsafe\b", code) and not is_below(name, rules.unsafe):
            found.append(Violation("unsafe", name, "holds unsafe code"))
    return found


def is_below(path: str, places: tuple[str, ...]) -> bool:
    """Whether a path is one of these files, or in one of these folders."""
    return any(path == place or (place[-1:] == "/" and path.startswith(place)) for place in places)


# The map


def check_map(root: Path) -> list[Violation]:
    """Every source file is named on the map, and what is named exists."""
    named = named_on_map((root / PAGE).read_text(encoding="utf-8"))
    sources = [file.path for top in (CORE, DOOR) for file in rust_files(root, top)]
    python = sorted((root / FACE).rglob("*.py"))
    sources += [path.relative_to(root).as_posix() for path in python]
    found = [
        Violation("map", path, "is not on the map")
        for path in sources
        if path not in named and not is_named_by_its_folder(path, named)
    ]
    gone = [path for path in named if not (root / path).exists()]
    return found + [Violation("map", path, "is on the map and does not exist") for path in gone]


def is_named_by_its_folder(path: str, named: set[str]) -> bool:
    """The file that makes a folder a module or a package has the line of its folder."""
    folder, _, name = path.rpartition("/")
    return name in ("mod.rs", "__init__.py") and f"{folder}/" in named


# Python

#: A name with one underscore before it, not two.
PRIVATE = re.compile(r"_(?!_)")


def check_guests(root: Path, rules: Rules) -> list[Violation]:
    """Some folders use public names of the package, and private ones of their own folder alone."""
    return [
        Violation("private", f"{path} -> {name}", "uses a private name of another folder")
        for guest in GUESTS
        for path, name in names_of_ours(root, guest)
        if is_private(name) and name not in rules.shared
    ]


def check_reference(root: Path) -> list[Violation]:
    """The readable versions of the algorithms stand alone."""
    return [
        Violation("reference", f"{path} -> {name}", "uses more than the reference")
        for path, name in names_of_ours(root, "reference")
    ]


def names_of_ours(root: Path, folder: str) -> list[tuple[str, str]]:
    """The files of a folder of the package, with the names of other folders that each uses."""
    found = set()
    for path in sorted((root / FACE / folder).rglob("*.py")):
        place = path.relative_to(root / FACE)
        package = ("subword", *place.parent.parts)
        for name in names_used(ast.parse(path.read_text(encoding="utf-8")), package):
            if is_of(name, "subword") and not is_of(name, f"subword.{folder}"):
                found.add((place.as_posix(), shortened(name)))
    return sorted(found)


def is_of(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def is_private(name: str) -> bool:
    """Whether a dotted name has a part with one underscore before it."""
    return any(PRIVATE.match(part) for part in name.split("."))


def shortened(name: str) -> str:
    """A dotted name up to its first private part, or two parts: the module, not what is in it."""
    parts = name.split(".")
    private = (at for at, part in enumerate(parts) if PRIVATE.match(part))
    return ".".join(parts[: next(private, 1) + 1])


def names_used(tree: ast.Module, package: tuple[str, ...]) -> Iterator[str]:
    """The dotted names that a module imports, or reaches as attributes of ``subword``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            before = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*before, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute):
            whole = ast.unparse(node)
            if re.fullmatch(r"subword(\.\w+)+", whole):
                yield whole
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from (str(one.value) for one in node.args if isinstance(one, ast.Constant))
