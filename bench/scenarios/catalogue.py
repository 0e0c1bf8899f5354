"""Every path of the benchmark, the function that measures it, and the order of measuring."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial

from measure import corpora
from measure.results import Result
from scenarios import (
    batches,
    calls,
    encode,
    files,
    loading,
    outputs,
    sentencepiece,
    sessions,
    training,
    unigram,
    wordpiece,
)
from scenarios.common import Bench

Scenario = Callable[[Bench, str], Result]

#: Vocabularies and texts beside cl100k on the first five, and how many rounds they get.
FURTHER = (
    *(("o200k", name, 7) for name in corpora.CORPORA),
    *(("o200k", name, 3) for name in corpora.SMALLER),
    *(("cl100k", name, 3) for name in corpora.SMALLER),
    ("gpt2", "en", 3),
    ("qwen2", "en", 3),
)


def large_texts() -> dict[str, Scenario]:
    """The paths of large texts and of batches."""
    paths: dict[str, Scenario] = {}
    for name in corpora.CORPORA:
        paths[f"encode/cl100k/{name}/warm"] = partial(encode.warm, name=name)
    for name in corpora.CORPORA:
        paths[f"encode/cl100k/{name}/fresh"] = partial(encode.fresh, name=name)
    for vocab, name, rounds in FURTHER:
        for kind, scenario in (("warm", encode.warm), ("fresh", encode.fresh)):
            further = partial(scenario, name=name, vocab_name=vocab, rounds=rounds)
            paths[f"encode/{vocab}/{name}/{kind}"] = further
    for name in corpora.CORPORA:
        paths[f"encode/cl100k/{name}/lists"] = partial(outputs.lists, name=name)
    for size in batches.SIZES:
        for kind in ("arrays", "lists"):
            for threads in ("1-thread", "2-threads"):
                paths[f"batch/cl100k/{size}/{kind}/{threads}"] = batches.batch
    for name in ("en", "zh"):
        paths[f"count/cl100k/{name}"] = partial(outputs.count, name=name)
    for name in ("en", "zh"):
        paths[f"decode/cl100k/{name}"] = partial(outputs.decode, name=name)
    for level in batches.LEVELS:
        paths[f"simd/cl100k/en/{level}"] = batches.simd
    paths["cold/cl100k/en"] = partial(loading.cold, corpus="en")
    return paths | young_tokenizers()


#: Texts of which there is enough for a young tokenizer, and how many MB it has seen before.
YOUNG = (("enwiki", (1, 3, 10)), ("code", (1, 3)))


def young_tokenizers() -> dict[str, Scenario]:
    """The paths of tokenizers that have seen little."""
    paths: dict[str, Scenario] = {}
    for name, seen in YOUNG:
        for megabytes in seen:
            one = partial(encode.young, name=name, seen=megabytes * 1_000_000)
            paths[f"fresh/cl100k/{name}/{megabytes}MB"] = one
    for vocab in ("cl100k", "o200k"):
        for name in ("en", "code"):
            one = partial(encode.chunk, name=name, vocab_name=vocab)
            paths[f"chunks/{vocab}/{name}/4KiB"] = one
    for size, count in (("4KiB", 4096), ("3MB", 3_000_000)):
        one = partial(loading.first_call, corpus="enwiki", name="o200k", size=count)
        paths[f"first-call/o200k/enwiki/{size}"] = one
    paths["cold/o200k/en/4KiB"] = partial(loading.cold, corpus="en", name="o200k", size=4096)
    return paths


def catalogue() -> dict[str, Scenario]:
    """Every path and the function that measures it, in the order of the report."""
    paths = large_texts()
    paths["short/cl100k/hello-world"] = encode.hello_world
    paths["short/cl100k/100-characters"] = encode.hundred_characters
    paths["short/cl100k/100-characters-varied"] = encode.thousand_lines
    paths["load/o200k/new-process"] = partial(loading.new_process, name="o200k")
    paths["load/o200k/own-file"] = partial(loading.own_file, name="o200k")
    for kind in corpora.HOSTILE:
        paths[f"hostile/cl100k/{kind}"] = partial(encode.hostile, kind=kind)
    for path in training.TRAINING:
        paths[path] = training.train
    paths["count/enwiki/threads"] = training.count_threads
    paths["count/enwiki/64MB"] = training.count_bounded
    for name in wordpiece.TEXTS:
        paths[f"wordpiece/{name}/fresh"] = partial(wordpiece.batch_fresh, name=name)
    for name in wordpiece.TEXTS:
        paths[f"wordpiece/{name}/warm"] = partial(wordpiece.batch_warm, name=name)
    paths["wordpiece/en/linear"] = wordpiece.linear
    paths["wordpiece/en/threads"] = wordpiece.threads
    paths["wordpiece/hello-world"] = wordpiece.hello_world
    paths["wordpiece/load"] = wordpiece.load
    for kind in wordpiece.HOSTILE:
        paths[f"wordpiece/hostile/{kind}"] = partial(wordpiece.hostile, kind=kind)
    for score in ("count", "likelihood"):
        paths[f"wordpiece/train/{score}"] = partial(wordpiece.train, score=score)
    for vocab in calls.VOCABS:
        for kind in calls.KINDS:
            if kind != "train" or vocab != "bert-base-uncased":  # WordPiece is theirs to train
                path = f"transformers/{vocab}/{kind}"
                paths[path] = partial(calls.call, vocab=vocab, kind=kind)
    for vocab in sessions.VOCABS:
        paths[f"sessions/{vocab}/turns"] = partial(sessions.turns, vocab=vocab)
    for kind in ("fresh", "warm"):
        for model in sentencepiece.FOLDERS:
            for name in sentencepiece.TEXTS:
                one = partial(sentencepiece.encode, model=model, name=name)
                paths[f"sentencepiece/{model}/{name}/{kind}"] = one
        for name in unigram.TEXTS:
            paths[f"unigram/xlm-r/{name}/{kind}"] = partial(unigram.encode, name=name)
    for chain in sentencepiece.CHAINS:
        one = partial(sentencepiece.chain, kind=chain, name="en")
        paths[f"chain/{chain}/en/warm"] = one
    paths["files/enwiki/bin"] = files.rate
    paths["files/enwiki/memory"] = files.memory
    paths["files/enwiki/killed"] = files.killed
    return paths


def own_texts(names: list[str]) -> dict[str, Scenario]:
    """The paths of texts that the user has named: every vocabulary, arrays and lists."""
    paths: dict[str, Scenario] = {}
    for name in names:
        for vocab in ("cl100k", "o200k", "gpt2", "qwen2"):
            for kind, scenario in (("warm", encode.warm), ("fresh", encode.fresh)):
                paths[f"encode/{vocab}/{name}/{kind}"] = partial(
                    scenario, name=name, vocab_name=vocab
                )
        paths[f"encode/cl100k/{name}/lists"] = partial(outputs.lists, name=name)
    return paths


def selected(paths: list[str], only: list[str]) -> list[str]:
    """The paths that fit one of the filters, or lie below it.

    Example:
        >>> selected(["encode/cl100k/en/warm", "short/cl100k/hello-world"], ["encode/*/en"])
        ['encode/cl100k/en/warm']
    """
    if not only:
        return paths
    return [
        path
        for path in paths
        if any(fnmatchcase(path, one) or fnmatchcase(path, f"{one.rstrip('/')}/*") for one in only)
    ]


#: Paths that are over in some seconds, and would show the speed that the machine has just then.
BRIEF = ("short/*", "wordpiece/hello-world", "wordpiece/en/threads")


def in_turn(paths: list[str]) -> list[str]:
    """The order of measuring: WordPiece first, brief paths three times.

    After half an hour of other paths tokenizers takes nearly twice as long for a text as in a new
    process, and a machine that others use too has fast minutes and slow ones (2026-11-16).

    Example:
        >>> in_turn(["encode/cl100k/en/warm", "wordpiece/load", "files/enwiki/bin"])
        ['wordpiece/load', 'encode/cl100k/en/warm', 'files/enwiki/bin']
        >>> in_turn(["short/a", "files/b"])
        ['short/a', 'short/a', 'files/b', 'short/a']
    """
    turns = sorted(paths, key=lambda path: not path.startswith("wordpiece/"))
    brief = [path for path in turns if any(fnmatchcase(path, one) for one in BRIEF)]
    middle = len(turns) // 2
    return [*turns[:middle], *brief, *turns[middle:], *brief]
