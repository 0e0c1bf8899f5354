"""The command line: what it prints, what it writes, and how it fails."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
import subword
from click.testing import CliRunner, Result
from subword import Tokenizer
from subword._cli import main

MERGES = [(b"l", b"o"), (b"lo", b"w"), (b"e", b"r"), (b" ", b"low")]
VOCAB = {i: bytes([i]) for i in range(256)} | {
    256 + rank: left + right for rank, (left, right) in enumerate(MERGES)
}
TEXT = b"lower slow low<|endoftext|>\n"
IDS = [257, 258, 32, 115, 257, 259, 260, 10]
ANY_BYTES = bytes(range(256)) * 3 + b"low\xff\xfe"


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return Tokenizer(VOCAB, MERGES, ["<|endoftext|>"])


@pytest.fixture
def folder(tmp_path: Path, tok: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a tokenizer, `tok.json`, and a text, `text.txt`."""
    monkeypatch.chdir(tmp_path)
    tok.save("tok.json")
    Path("text.txt").write_bytes(TEXT)
    return tmp_path


def run(*args: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, args, input=stdin)


def output(*args: str, stdin: bytes | None = None) -> bytes:
    result = run(*args, stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout_bytes


def failure(*args: str, stdin: bytes | None = None) -> str:
    result = run(*args, stdin=stdin)
    assert (result.exit_code, result.stdout) == (1, "")
    assert isinstance(result.exception, SystemExit)
    return result.stderr


# encode


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("source", [["text.txt"], ["-"], []])
def test_encode_prints_ids_of_a_file_or_of_standard_input(source: list[str]) -> None:
    printed = output("encode", "tok.json", *source, "--special", "encode", stdin=TEXT)
    assert printed == b"257 258 32 115 257 259 260 10\n"


@pytest.mark.usefixtures("folder")
def test_encode_writes_text_or_numpy_by_the_name_of_the_file() -> None:
    encode = ("encode", "tok.json", "text.txt", "--special", "encode", "--out")
    assert output(*encode, "ids.txt") == b""
    assert Path("ids.txt").read_bytes() == b"257 258 32 115 257 259 260 10\n"
    assert output(*encode, "ids.npy") == b""
    ids = np.load("ids.npy")
    assert (ids.tolist(), ids.dtype) == (IDS, np.uint32)


@pytest.mark.usefixtures("folder")
def test_the_format_option_wins_over_the_name() -> None:
    encode = ("encode", "tok.json", "text.txt", "--special", "encode", "--format")
    output(*encode, "text", "--out", "ids.npy")
    assert Path("ids.npy").read_bytes().startswith(b"257 ")
    printed = output(*encode, "npy")
    assert np.load(io.BytesIO(printed)).tolist() == IDS


@pytest.mark.usefixtures("folder")
def test_nothing_encodes_to_nothing() -> None:
    assert output("encode", "tok.json", stdin=b"") == b"\n"
    output("encode", "tok.json", "--out", "ids.npy", stdin=b"")
    assert np.load("ids.npy").shape == (0,)
    assert output("decode", "tok.json", "ids.npy") == b""
    assert output("decode", "tok.json", stdin=b" \n") == b""


@pytest.mark.usefixtures("folder")
def test_more_ids_than_fit_in_one_block_are_all_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subword._cli.encoding.IDS_PER_BLOCK", 3)
    printed = output("encode", "tok.json", "text.txt", "--special", "encode")
    assert printed == b"257 258 32 115 257 259 260 10\n"


@pytest.mark.usefixtures("folder")
def test_text_is_text_unless_told_otherwise_as_in_python(tok: Tokenizer) -> None:
    as_text = output("encode", "tok.json", "text.txt")
    assert [int(id) for id in as_text.split()] == tok.encode(TEXT)
    assert output("encode", "tok.json", "text.txt", "--special", "text") == as_text
    counted = json.loads(output("count", "tok.json", "text.txt", "--json"))
    assert counted["total"]["tokens"] == tok.count(TEXT) != len(IDS)
    text = TEXT.decode()
    explained = [
        json.loads(line) for line in output("explain", "tok.json", text, "--json").splitlines()
    ]
    assert [id for piece in explained for id in piece["ids"]] == tok.encode(TEXT)
    assert json.loads(output("tokens", "tok.json", text, "--json"))["ids"] == tok.encode(TEXT)
    for command in ("explain", "tokens"):
        printed = output(command, "tok.json", text, "--special", "encode", "--json").decode()
        assert "260" in printed
    assert failure("encode", "tok.json", "text.txt", "--special", "error") == (
        "error: the text spells the special token '<|endoftext|>' at byte 14\n"
        "  hint: pass --special encode or --special text\n"
    )


@pytest.mark.usefixtures("folder")
def test_any_bytes_come_back() -> None:
    Path("any.bin").write_bytes(ANY_BYTES)
    for name in ["ids.npy", "ids.txt"]:
        output("encode", "tok.json", "any.bin", "--out", name, "--threads", "2")
        assert output("decode", "tok.json", name) == ANY_BYTES


# decode


@pytest.mark.usefixtures("folder")
def test_decode_reads_text_and_numpy_from_files_and_from_standard_input() -> None:
    Path("ids.txt").write_text("257\t258\n32 115   257 259 260\n10")
    np.save("ids.npy", np.array(IDS, dtype=np.int64))
    for name in ["ids.txt", "ids.npy"]:
        assert output("decode", "tok.json", name) == TEXT
        assert output("decode", "tok.json", stdin=Path(name).read_bytes()) == TEXT
    output("decode", "tok.json", "ids.npy", "--out", "again.txt")
    assert Path("again.txt").read_bytes() == TEXT


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("word", ["low", "-1", "1.5", "1,2", "[1", "9" * 5000])
def test_what_is_not_an_id_is_refused_by_its_place(word: str) -> None:
    shown = f"'{word}'" if len(word) < 40 else f"'{word[:49]}..."
    assert failure("decode", "tok.json", stdin=f"257 {word}".encode()) == (
        f"error: standard input: expected an id, found {shown} (word 2)\n"
        "  hint: ids are numbers with white space between them, or a .npy file\n"
    )


@pytest.mark.usefixtures("folder")
def test_an_unknown_id_is_named_with_its_position() -> None:
    assert failure("decode", "tok.json", stdin=b"257 9999").startswith(
        "error: no token has id 9999 (position 1)\n  hint: "
    )


@pytest.mark.usefixtures("folder")
def test_arrays_that_are_not_ids_are_refused() -> None:
    np.save("floats.npy", np.array([1.5]))
    np.save("square.npy", np.zeros((2, 2), dtype=np.uint32))
    np.save("objects.npy", np.array([{}]), allow_pickle=True)
    Path("cut.npy").write_bytes(Path("square.npy").read_bytes()[:-3])
    assert failure("decode", "tok.json", "floats.npy") == (
        "error: floats.npy: expected one dimension of integers, found 1 dimension of float64\n"
    )
    assert failure("decode", "tok.json", "square.npy") == (
        "error: square.npy: expected one dimension of integers, found 2 dimensions of uint32\n"
    )
    for name in ["objects.npy", "cut.npy"]:
        start = f"error: {name}: not a complete numpy array: "
        assert failure("decode", "tok.json", name).startswith(start)


# count


@pytest.mark.usefixtures("folder")
def test_count_shows_a_row_per_file_and_a_total() -> None:
    Path("empty.txt").touch()
    count = ("count", "tok.json", "text.txt", "empty.txt", "--special", "encode")
    assert output(*count).decode() == (
        "      tokens         bytes  bytes/token  file\n"
        "           8            28         3.50  text.txt\n"
        "           0             0            -  empty.txt\n"
        "           8            28         3.50  total\n"
    )


@pytest.mark.usefixtures("folder")
def test_count_reads_standard_input_and_needs_no_total_for_one() -> None:
    count = ("count", "tok.json", "--special", "encode")
    assert output(*count, stdin=TEXT).decode().splitlines()[1:] == [
        "           8            28         3.50  -"
    ]


# info


def test_info_shows_what_there_is_to_know(folder: Path, tok: Tokenizer) -> None:
    lines = output("info", "tok.json").decode().splitlines()
    for line in [
        "kind            byte-level BPE by merges",
        "pattern         gpt2",
        "cut by          64 bytes at a time, as gpt2",
        "vocabulary      261 tokens, ids up to 260",
        "merges          4",
        "special tokens  1",
        "                260 <|endoftext|>",
        "longest tokens  4 bytes: ' low'",
        "                3 bytes: 'low'",
        f"fingerprint     {tok.fingerprint}",
    ]:
        assert line in lines


@pytest.mark.usefixtures("folder")
def test_info_does_not_drown_in_special_tokens() -> None:
    Tokenizer(VOCAB, MERGES, [f"<|{i}|>" for i in range(20)]).save("many.json")
    lines = output("info", "many.json").decode().splitlines()
    assert "special tokens  20" in lines
    assert "                267 <|7|>" in lines
    assert "                and 12 more" in lines


# convert


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("target", "options", "format_", "wrote"),
    [
        ("tokenizer.json", [], "huggingface", "tokenizer.json"),
        ("other.json", ["--to", "huggingface"], "huggingface", "other.json"),
        ("copy.json", [], "native", "copy.json"),
        ("gpt2", ["--format", "gpt2"], "gpt2", "gpt2/vocab.json"),
        ("folder/", ["--to", "gpt2"], "gpt2", "folder/vocab.json"),
    ],
)
def test_a_converted_tokenizer_gives_the_same_ids_and_convert_tells_what_it_wrote(
    target: str, options: list[str], format_: str, wrote: str
) -> None:
    told = output("convert", "tok.json", target, *options).decode()
    size = f"{Path(wrote).stat().st_size:,}"
    assert told == (
        f"vocabulary      261 tokens, 1 special\nformat          {format_}\n"
        f"wrote           {wrote}, {size} bytes\n"
    )
    ids = output("encode", "tok.json", "text.txt")
    assert output("encode", target, "text.txt") == ids


@pytest.mark.usefixtures("folder")
def test_a_tiktoken_file_needs_a_pattern_and_then_works() -> None:
    ranks = {token: id for id, token in VOCAB.items()}
    Tokenizer.from_ranks(ranks, pattern="gpt2").save("ranks.tiktoken")
    message = failure("encode", "ranks.tiktoken", "text.txt")
    assert message.startswith("error: ranks.tiktoken: ")
    assert "\n  hint: pass --pattern cl100k (" in message
    ids = output("encode", "ranks.tiktoken", "text.txt", "--pattern", "gpt2")
    assert ids == output("encode", "tok.json", "text.txt")
    output("convert", "ranks.tiktoken", "named.json", "--pattern", "gpt2")
    assert output("encode", "named.json", "text.txt") == ids


# how it fails


@pytest.mark.usefixtures("folder")
def test_a_missing_file_is_one_line() -> None:
    missing = "nowhere.txt: No such file or directory\n"
    assert failure("encode", "tok.json", "nowhere.txt") == f"error: {missing}"
    assert failure("info", "nowhere.txt") == f"error: {missing}"
    assert failure("count", "tok.json", "text.txt", "nowhere.txt") == f"error: {missing}"


@pytest.mark.usefixtures("folder")
def test_a_file_that_is_no_tokenizer_is_one_line() -> None:
    assert failure("encode", "text.txt", "text.txt").startswith("error: text.txt")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "args",
    [
        ["encode"],
        ["encode", "tok.json", "text.txt", "--special", "perhaps"],
        ["encode", "tok.json", "text.txt", "--threads", "0"],
        ["convert", "tok.json"],
        ["polish", "tok.json"],
    ],
)
def test_a_command_line_that_makes_no_sense_has_exit_code_2(args: list[str]) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    first, hint = result.stderr.splitlines()
    assert first.startswith("error: ")
    assert hint.startswith("  hint: ")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(folder: Path) -> None:
    Path("ids.txt").write_text("old")
    before = sorted(folder.iterdir())
    failure("decode", "tok.json", "--out", "ids.txt", stdin=b"9999")
    nowhere = failure("encode", "tok.json", "text.txt", "--out", "nowhere/ids.txt")
    assert (
        nowhere == "error: nowhere/ids.txt: there is no folder nowhere\n  hint: mkdir -p nowhere\n"
    )
    assert Path("ids.txt").read_text() == "old"
    assert sorted(folder.iterdir()) == before


def test_a_write_that_is_interrupted_leaves_the_old_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    Path("ids.npy").write_text("old")
    before = sorted(folder.iterdir())
    monkeypatch.setattr("subword._cli.encoding.write_npy", interrupted)
    assert run("encode", "tok.json", "text.txt", "--out", "ids.npy").exit_code == 130
    assert Path("ids.npy").read_text() == "old"
    assert sorted(folder.iterdir()) == before


def test_the_version_is_that_of_the_package() -> None:
    assert output("--version") == f"main {subword.__version__}\n".encode()


@pytest.mark.parametrize("command", ["", *main.commands])
def test_help_shows_examples(command: str) -> None:
    help = output(*command.split(), "--help").decode()
    assert "Examples:\n" in help
    assert f"  subword {command}" in help
    assert "..." not in help.partition("Commands:")[2]  # each is told in one line, to its end


def test_what_a_file_holds_cannot_command_the_terminal(tmp_path: Path) -> None:
    hostile = "<\x1b]0;pwned\x07>\nforged          1\u202e"
    pattern = "\x1b\\[2J+"
    tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], [hostile], pattern=pattern)
    tok.save(tmp_path / "tok.json")
    shown = CliRunner().invoke(main, ["info", str(tmp_path / "tok.json")]).output
    assert r"pattern         \x1b\[2J+" in shown.splitlines()
    assert r"                256 <\x1b]0;pwned\x07>\nforged          1\u202e" in shown.splitlines()
    missing = CliRunner().invoke(main, ["info", str(tmp_path / "\x1b[2Jtok.json")])
    assert missing.exit_code == 1
    assert r"\x1b[2Jtok.json" in missing.stderr
    for printed in (shown, missing.stderr):
        assert printed.replace("\n", "").isprintable()
