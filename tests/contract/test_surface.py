"""The public face: exactly these names, documented and typed, and nothing heavy to import."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.resources
import inspect
import subprocess
import sys
import types
from typing import Any

import pytest
import subword
from subword import BpeTrainer, Counts, Decoder, Tokenizer, UnigramTrainer, WordPieceTrainer
from subword._deprecated import OldNames

PUBLIC = [
    "ArgumentError",
    "BpeTrainer",
    "CorpusError",
    "Counts",
    "CountsError",
    "Decoder",
    "EncodedFiles",
    "Evaluation",
    "Explanation",
    "MissingPackageError",
    "ModelFormatError",
    "ModelFormatWarning",
    "NoPiecesError",
    "PatternError",
    "PatternExplanation",
    "Session",
    "SpecialTokenError",
    "SubwordError",
    "TextError",
    "Tokenizer",
    "Tokens",
    "TrainingError",
    "TrainingWarning",
    "UnigramTrainer",
    "UnknownIdError",
    "UnknownNameError",
    "UnknownTokenError",
    "WordPieceTrainer",
    "added_tokens",
    "aligned",
    "check_output",
    "count_pieces",
    "cut_points",
    "encode_arrow",
    "encode_dropout",
    "encode_files",
    "encode_inputs",
    "encode_spans",
    "encoded_by",
    "evaluate",
    "explain",
    "explain_path",
    "explain_pattern",
    "explain_text",
    "extend",
    "healed",
    "is_canonical",
    "nbest",
    "noncanonical_at",
    "normalize",
    "open_tokens",
    "patterns",
    "prune",
    "read_documents",
    "sample",
    "split",
    "split_at",
    "token_arrays",
    "token_trie",
    "training_log",
    "truncate",
    "visible",
    "with_special_tokens",
    "with_template",
]

METHODS = [
    "count",
    "count_batch",
    "decode",
    "decode_batch",
    "decode_bytes",
    "encode",
    "encode_array",
    "encode_batch",
    "encode_batch_arrays",
    "encode_iter",
    "encode_offsets",
    "end_of_word",
    "fingerprint",
    "from_ranks",
    "kind",
    "load",
    "max_id",
    "merges",
    "normalizer",
    "pattern",
    "save",
    "special_tokens",
    "to_bytes",
    "token_bytes",
    "token_id",
    "units",
    "unk_token",
    "vocab",
    "vocab_size",
    "wordpiece",
]


def test_the_public_names_are_these() -> None:
    assert subword.__all__ == PUBLIC
    modules = {name for name, value in vars(subword).items() if isinstance(value, types.ModuleType)}
    others = {name for name in vars(subword) if not name.startswith("_")} - modules
    assert others == {*PUBLIC}


def test_the_methods_of_a_tokenizer_are_these() -> None:
    names = sorted(name for name in dir(Tokenizer) if not name.startswith("_"))
    assert [name for name in names if not hasattr(OldNames, name)] == METHODS
    assert sorted(name for name in dir(Decoder) if not name.startswith("_")) == ["finish", "push"]


@pytest.mark.parametrize("trainer", [BpeTrainer, UnigramTrainer, WordPieceTrainer])
def test_the_methods_of_a_trainer_are_these(trainer: type) -> None:
    methods = sorted(name for name in dir(trainer) if not name.startswith("_"))
    fair = ["train_fair"] if trainer is BpeTrainer else []
    assert methods == ["counting", "train", "train_counts", *fair, "train_iter", "train_sources"]


def test_the_methods_of_counts_are_these() -> None:
    assert sorted(name for name in dir(Counts) if not name.startswith("_")) == [
        "copy",
        "fingerprint",
        "from_parquet",
        "load",
        "most_common",
        "normalizer",
        "on_disk",
        "pattern",
        "prune",
        "save",
        "scaled",
        "special_tokens",
        "to_bytes",
        "to_parquet",
        "total",
    ]


@pytest.mark.parametrize(
    "owner",
    [BpeTrainer, Counts, Tokenizer, Decoder, UnigramTrainer, WordPieceTrainer],
    ids=lambda owner: owner.__name__,
)
def test_every_method_says_what_it_does(owner: type) -> None:
    assert inspect.getdoc(owner)
    for name in dir(owner):
        if not name.startswith("_"):
            doc = inspect.getdoc(getattr(owner, name)) or ""
            assert len(doc) > 10, name


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_says_what_it_is(name: str) -> None:
    value = getattr(subword, name)
    if name == "patterns":  # a mapping has no docstring of its own: its module explains it
        value = importlib.import_module("subword._pieces")
    else:
        assert value.__module__.partition(".")[0] == "subword"
    doc = inspect.getdoc(value) or ""
    assert len(doc) > 10
    assert doc != inspect.getdoc(type(value))  # not that of `function` or of another type


def test_the_package_says_what_it_is_with_an_example() -> None:
    doc = subword.__doc__ or ""
    assert ">>> import subword" in doc


def test_signatures_show_their_defaults() -> None:
    encode = inspect.signature(Tokenizer.encode)
    assert str(encode) == (
        "(self, /, text, *, special='text', errors='strict', add_special_tokens=False, "
        "prepend=None, append=None, threads=None)"
    )
    count = inspect.signature(Tokenizer.count)
    assert str(count) == (
        "(self, /, text, *, limit=None, special='text', errors='strict', "
        "add_special_tokens=False, threads=None)"
    )


def imported(program: str) -> set[str]:
    """The modules that a program has loaded when it ends."""
    program += "\nimport sys; print(*sys.modules)"
    run = [sys.executable, "-c", program]
    return {*subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()}


def test_importing_loads_nothing_heavy() -> None:
    loaded = {name.partition(".")[0] for name in imported("import subword")}
    heavy = {"numpy", "click", "tqdm", "pyarrow", "tiktoken", "tokenizers", "typing_extensions"}
    heavy |= {"huggingface_hub", "starlette", "uvicorn"}
    assert not loaded & heavy
    assert not {name for name in imported("import subword") if "integrations" in name}
    assert "subword._cli" not in imported("import subword")
    program = "import subword\nsubword.BpeTrainer(num_merges=1).train_iter(['low low'])"
    loaded = {name.partition(".")[0] for name in imported(program)}
    assert not loaded & {"numpy", "click", "tqdm", "pyarrow"}


def test_the_integrations_load_their_libraries_when_they_are_used() -> None:
    program = "from subword.integrations import datasets, ray, spark, transformers"
    loaded = {name.partition(".")[0] for name in imported(program)}
    assert not loaded & {"datasets", "numpy", "pyarrow", "pyspark", "ray", "transformers"}


def test_encoding_to_lists_loads_no_numpy() -> None:
    program = (
        "import subword\n"
        "tok = subword.Tokenizer({i: bytes([i]) for i in range(256)}, [])\n"
        "assert tok.decode(tok.encode('low' * 200_000)) == 'low' * 200_000\n"
        "tok.encode_batch(['low']); tok.encode_offsets('low'); tok.count('low')"
    )
    assert "numpy" not in imported(program)
    assert "numpy" in imported(program + "; tok.encode_array('low')")


def test_the_version_is_that_of_the_package() -> None:
    assert subword.__version__ == importlib.metadata.version("subword")


def test_the_package_is_typed() -> None:
    files = importlib.resources.files("subword")
    assert (files / "py.typed").is_file()
    assert (files / "_core.pyi").is_file()


@pytest.mark.slow
def test_the_stubs_are_those_of_the_engine() -> None:
    pytest.importorskip("mypy")
    run = [sys.executable, "-m", "mypy.stubtest", "subword._core"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_patterns_cannot_be_changed() -> None:
    patterns: Any = subword.patterns
    with pytest.raises(TypeError):
        patterns["gpt2"] = ()
    assert patterns["none"] == ()
    assert all(isinstance(regex, str) for regexes in patterns.values() for regex in regexes)
