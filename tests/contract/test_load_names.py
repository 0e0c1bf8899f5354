"""`Tokenizer.load` by name: tiktoken's encodings, and repositories in the cache of the Hub."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from subword import BpeTrainer, ModelFormatError, Tokenizer, UnknownNameError
from subword._cli import main
from subword._names import hub
from subword._names.encodings import ENCODINGS
from subword.integrations import tiktoken

from tests.support.published import file

NAMES = ["gpt2", "r50k_base", "cl100k_base", "o200k_base", "o200k_harmony"]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is on this machine but what a test puts there, and no other machine can be asked."""

    def refused(*_: Any) -> None:
        raise AssertionError("something asked for the network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.delenv("SUBWORD_VOCABS", raising=False)
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "tiktoken"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.chdir(tmp_path)


def small_bpe() -> Tokenizer:
    return BpeTrainer(num_merges=2).train_iter(["low low lower"])


def vocabs(monkeypatch: pytest.MonkeyPatch, name: str) -> Path:
    """The folder that has the file of an encoding, named in the environment."""
    path = file(f"vocabs/{ENCODINGS[name].file}")
    monkeypatch.setenv("SUBWORD_VOCABS", str(path.parent))
    return path


# tiktoken's names


@pytest.mark.parametrize("name", NAMES)
def test_an_encoding_has_its_ids_pattern_and_special_tokens(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    vocabs(monkeypatch, name)
    tok = Tokenizer.load(name)
    assert tok == tiktoken.get_encoding(name)._tokenizer
    assert tok.special_tokens == ENCODINGS[name].special_tokens
    end = tok.special_tokens["<|endoftext|>"]
    assert tok.encode("hello<|endoftext|>", special="encode")[-1] == end


def test_an_encoding_is_found_in_the_cache_of_tiktoken(tmp_path: Path) -> None:
    (tmp_path / "tiktoken").mkdir()
    cached = (
        tmp_path / "tiktoken" / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    )  # sha1 of its address
    shutil.copy(file("vocabs/cl100k_base.tiktoken"), cached)
    assert Tokenizer.load("cl100k_base").encode("hello world") == [15339, 1917]


@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_base"])
def test_a_published_file_is_recognised_by_its_content(name: str, tmp_path: Path) -> None:
    path = file(f"vocabs/{name}.tiktoken")
    shutil.copy(path, tmp_path / "renamed")
    tok = Tokenizer.load(path)
    assert tok.special_tokens == ENCODINGS[name].special_tokens
    assert tok == Tokenizer.load(tmp_path / "renamed") == Tokenizer.load(path.read_bytes())


def test_what_a_caller_says_about_a_published_file_holds() -> None:
    path = file("vocabs/cl100k_base.tiktoken")
    assert Tokenizer.load(path, pattern="o200k").pattern == "o200k"
    assert Tokenizer.load(path, pattern="cl100k").special_tokens == {}
    tok = Tokenizer.load(path, special_tokens=["<|mine|>"])
    assert (tok.pattern, tok.special_tokens) == ("cl100k", {"<|mine|>": 100256})


def test_another_file_of_that_kind_still_needs_its_pattern(tmp_path: Path) -> None:
    small_bpe().save(tmp_path / "mine.tiktoken")
    with pytest.raises(ModelFormatError, match="pattern"):
        Tokenizer.load(tmp_path / "mine.tiktoken")


def test_a_missing_encoding_says_where_was_looked_and_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUBWORD_VOCABS", "vocabs")
    with pytest.raises(UnknownNameError) as caught:
        Tokenizer.load("cl100k_base")
    assert str(caught.value) == (
        "cl100k_base: the file cl100k_base.tiktoken is not on this machine; looked in vocabs, "
        f"{tmp_path / 'tiktoken'}\n"
        "  hint: download it by: curl -fLO "
        "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken, and name its "
        'folder in SUBWORD_VOCABS; or by: python -c "import tiktoken; '
        "tiktoken.get_encoding('cl100k_base')\""
    )


def test_a_damaged_file_under_a_published_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "p50k_base.tiktoken").write_bytes(b"IQ== 0\n")
    monkeypatch.setenv("SUBWORD_VOCABS", str(tmp_path))
    with pytest.raises(ModelFormatError, match="expected the published file with sha256"):
        Tokenizer.load("p50k_base")


def test_a_file_goes_before_a_name(tmp_path: Path) -> None:
    small_bpe().save(tmp_path / "gpt2")
    assert Tokenizer.load("gpt2") == small_bpe()


# the Hub


def cached(folder: Path, name: str, files: dict[str, bytes], commit: str = "a" * 40) -> None:
    """A repository as Hugging Face's cache keeps it: blobs, and links to them by commit."""
    home = folder / "hub" / f"models--{name.replace('/', '--')}"
    for part in ("blobs", "refs", f"snapshots/{commit}"):
        (home / part).mkdir(parents=True)
    (home / "refs" / "main").write_text(commit)
    for at, (path, content) in enumerate(files.items()):
        (home / "blobs" / f"{at:040}").write_bytes(content)
        (home / "snapshots" / commit / path).symlink_to(f"../../blobs/{at:040}")


def written(tok: Tokenizer, folder: Path, name: str) -> dict[str, bytes]:
    tok.save(folder / name)
    content = (folder / name).read_bytes()
    (folder / name).unlink()
    return {name: content}


@pytest.mark.parametrize("name", ["Qwen/Qwen3-8B", "bert-base-uncased", "a.b/c_d-1.5"])
def test_a_repository_is_found_in_the_cache_of_the_hub(name: str, tmp_path: Path) -> None:
    files = written(small_bpe(), tmp_path, "tokenizer.json")
    cached(tmp_path, name, {"config.json": b"{}", **files})
    assert Tokenizer.load(name) == small_bpe()
    assert Tokenizer.load(Path(name)) == small_bpe()


def test_a_repository_with_a_word_list_has_its_settings(tmp_path: Path) -> None:
    words = b"[UNK]\n[CLS]\n[SEP]\nLow\n"
    config = json.dumps({"do_lower_case": False}).encode()
    cached(tmp_path, "a/bert", {"vocab.txt": words, "tokenizer_config.json": config})
    assert Tokenizer.load("a/bert").encode("Low", add_special_tokens=True) == [1, 3, 2]


def test_the_branch_is_main(tmp_path: Path) -> None:
    cached(tmp_path, "a/b", written(small_bpe(), tmp_path, "tokenizer.json"))
    (tmp_path / "hub" / "models--a--b" / "refs" / "main").write_text("b" * 40)
    with pytest.raises(UnknownNameError):
        Tokenizer.load("a/b")


def test_a_file_that_the_hub_does_not_have_is_no_tokenizer(tmp_path: Path) -> None:
    cached(tmp_path, "a/b", {"config.json": b"{}"})
    missing = tmp_path / "hub" / "models--a--b" / ".no_exist" / ("a" * 40)
    missing.mkdir(parents=True)
    (missing / "tokenizer.json").touch()
    with pytest.raises(UnknownNameError, match="no tokenizer on this machine"):
        Tokenizer.load("a/b")


def test_an_unknown_name_says_where_was_looked_and_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        Tokenizer.load("Qwen/Qwen3-8B")
    assert str(caught.value) == (
        "Qwen/Qwen3-8B: no file or folder has this path, and no tokenizer on this machine this "
        f"name; looked in {tmp_path / 'hub'}\n"
        "  hint: download it by: hf download Qwen/Qwen3-8B tokenizer.json; the names of tiktoken "
        "are gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony"
    )
    assert isinstance(caught.value, FileNotFoundError)


def test_without_the_package_of_the_hub_the_hint_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub, "is_installed", lambda: False)
    with pytest.raises(UnknownNameError, match="pip install huggingface_hub; download it by"):
        Tokenizer.load("Qwen/Qwen3-8B")


@pytest.mark.parametrize("name", ["a b", "a/b/c", "--x"])
def test_what_is_no_name_of_the_hub_is_not_offered_for_download(name: str) -> None:
    with pytest.raises(OSError) as caught:  # noqa: PT011, whichever it is: nothing is there
        Tokenizer.load(name)
    assert "hf download" not in str(caught.value)


@pytest.mark.parametrize("name", ["tok.json", "folder/tokenizer.json", "x.tiktoken"])
def test_a_missing_file_is_a_missing_file(name: str) -> None:
    with pytest.raises(FileNotFoundError, match="No such file") as caught:
        Tokenizer.load(name)
    assert not isinstance(caught.value, UnknownNameError)


# the command line


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, arguments)
    return done.exit_code, done.output


def test_the_command_line_takes_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = vocabs(monkeypatch, "cl100k_base")
    cached(tmp_path, "a/b", written(small_bpe(), tmp_path, "tokenizer.json"))
    code, by_name = run("info", "cl100k_base")
    assert (code, "100257 <|endoftext|>" in by_name) == (0, True)
    assert run("info", str(path)) == (0, by_name)
    code, text = run("info", "a/b")
    assert (code, small_bpe().fingerprint in text) == (0, True)
    code, text = run("info", "a/c")
    assert (code, text.startswith("error: a/c: no file or folder")) == (1, True)
    assert "hint: download it by: hf download a/c tokenizer.json" in text
