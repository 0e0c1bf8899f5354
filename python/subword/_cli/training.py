"""`subword train`: a corpus, or counts, in; a tokenizer file out; a table of what happened."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from subword import (
    BpeTrainer,
    Counts,
    SubwordError,
    Tokenizer,
    TrainingWarning,
    UnigramTrainer,
    WordPieceTrainer,
    count_pieces,
    training_log,
)
from subword._cli import watching
from subword._cli.arguments import (
    Number,
    OutputFile,
    check_tokenizer,
    corpus_argument,
    format_option,
    tokenizer_out_option,
)
from subword._cli.colours import has_colours
from subword._cli.control import control_options, is_counts, sources_of
from subword._cli.describing import shown
from subword._cli.files import print_error, say, tell
from subword._cli.group import (
    PATH,
    PATTERNS,
    Failure,
    json_option,
    main,
    progress_option,
    threads_option,
)

Command = TypeVar("Command", bound=Callable[..., Any])

#: What a BPE tokenizer can be written as.
FORMATS = ["native", "tiktoken", "huggingface", "gpt2"]

#: What is read, what is written, and how: the options of every training.
READING = [
    corpus_argument,
    tokenizer_out_option,
    click.option(
        "--field",
        default="text",
        show_default=True,
        help="The field of .jsonl files, the column of Parquet files.",
    ),
    click.option(
        "--errors",
        type=click.Choice(["strict", "replace"]),
        default="strict",
        show_default=True,
        help="A file that is not UTF-8: refuse it, or put U+FFFD in the place of what is wrong.",
    ),
    click.option(
        "--memory-limit",
        metavar="SIZE",
        help="Count in at most so much memory (64MB, 2GB); what does not fit goes to disk.",
    ),
    click.option(
        "--log",
        type=OutputFile("training.jsonl"),
        help="Write what happened, phase by phase and merge by merge, as JSON lines.",
    ),
    json_option,
    progress_option,
]


def reading_options(command: Command) -> Command:
    """Give a command these options."""
    for option in reversed(READING):
        command = option(command)
    return command


@main.command()
@click.option(
    "--vocab-size",
    type=Number(min=1),
    help="How many tokens in all: bytes, merges and special tokens.",
)
@click.option("--num-merges", type=Number(min=0), help="How many merges, instead.")
@click.option(
    "--pattern",
    metavar="NAME",
    help=f"The split pattern (gpt2 without it): {PATTERNS}. Counts bring their own.",
)
@click.option(
    "--special-token",
    "special_tokens",
    metavar="TEXT",
    multiple=True,
    help="Cut out of the text, and given one of the last ids. Can be repeated.",
)
@click.option(
    "--ties",
    type=click.Choice(["greatest", "smallest-ids"]),
    default="greatest",
    show_default=True,
    help="Which of two pairs that occur equally often is merged first: the one whose bytes sort "
    "last, or the one with the smallest ids (as Hugging Face does).",
)
@click.option(
    "--min-count",
    type=Number(min=1),
    default=1,
    show_default=True,
    help="Do not merge a pair that occurs less often.",
)
@click.option(
    "--max-token-length",
    type=click.IntRange(min=1),
    help="Make no token that is longer, in bytes, or in characters with --initial-vocab chars.",
)
@click.option(
    "--initial-vocab",
    type=click.Choice(["bytes", "chars"]),
    default="bytes",
    show_default=True,
    help="Start with the 256 bytes, or with the characters of the corpus.",
)
@click.option(
    "--end-of-word",
    metavar="MARK",
    help="A mark that ends every piece; with chars '</w>' by default, '' for none.",
)
@click.option("--unk-token", metavar="TEXT", help="With chars: what an unknown character becomes.")
@click.option(
    "--limit-alphabet",
    type=Number(min=1),
    help="With chars: keep so many characters, the most frequent.",
)
@click.option(
    "--character-coverage",
    type=click.FloatRange(min=0, max=1, min_open=True),
    help="With chars: keep the characters that make up this share of the text (0.9995 with "
    "--byte-fallback).",
)
@click.option(
    "--byte-fallback",
    is_flag=True,
    help="With chars: SentencePiece's form, as Llama 2 and Gemma have it.",
)
@click.option(
    "--split-digits", is_flag=True, help="With --byte-fallback: every digit is a token of its own."
)
@click.option(
    "--base",
    type=PATH,
    help="A tokenizer to go on from: its ids stay, new merges follow.",
)
@click.option(
    "--superwords",
    type=click.Choice(["any", "whole"]),
    help="Merge over the ends of the words that --base has learned: any two tokens (SuperBPE), or "
    "whole words (BoundlessBPE).",
)
@control_options
@reading_options
@format_option(FORMATS)
@click.option(
    "--watch",
    is_flag=True,
    help="Show every merge of a small input: the best pairs, ties, and the pieces that change.",
)
@threads_option
def train(
    corpus: Sequence[Path],
    out: str,
    log: Path | None,
    format_: str | None,
    as_json: bool,
    base: Path | None,
    special_tokens: Sequence[str],
    field: str,
    errors: Literal["strict", "replace"],
    memory_limit: str | None,
    watch: bool,
    fair: bool,
    sizes: Sequence[int],
    **settings: Any,
) -> None:
    """Learn a tokenizer from text files or from counts.

    CORPUS is files of text, .jsonl, .gz, .zst or Parquet, globs, or - for standard input; or files
    that `subword count-pieces` and `subword merge-counts` have written, which are added up.

    \b
    Examples:
      subword train corpus.txt --vocab-size 32k -o tok.json
      subword train part1.counts part2.counts --vocab-size 32000 --out tok.json
      subword train *.jsonl.gz --vocab-size 50000 --special-token '<|endoftext|>' --out tok.json
      subword train corpus.txt --num-merges 9000 --initial-vocab chars --unk-token '<unk>'
        --out words.json
      subword train corpus.txt --vocab-size 32k --initial-vocab chars --byte-fallback -o tok.json
        -f huggingface
      subword train small.txt --num-merges 20 --out small.json --watch
      subword train corpus.txt --vocab-size 64k --base words.json --superwords any -o super.json
      subword train en.txt fi.txt sw.txt --vocab-size 32k --fair -o tok.json
    """
    if (settings["vocab_size"] is None) == (settings["num_merges"] is None):
        raise click.UsageError("pass --vocab-size or --num-merges: how much to learn")
    check_tokenizer(out, format_, FORMATS)
    own = None if settings["superwords"] else settings["pattern"]
    settings["base"] = base and Tokenizer.load(base, pattern=own)
    settings["special_tokens"] = special_tokens or None
    plain = not (fair or any(settings[name] for name in ("whole_characters", "veto", "required")))
    if watch and not plain:
        raise click.UsageError("--watch shows plain training: no --fair, --veto, --required")
    if watch and settings["superwords"]:
        raise click.UsageError("--watch shows merges within words, not superwords")
    if watch and starts_from_words(settings["base"]):
        raise click.UsageError("--watch goes with a base of bytes, and this one starts from words")
    if watch and settings["byte_fallback"]:
        raise click.UsageError("--watch does not go with --byte-fallback")
    reading: dict[str, Any] = {"field": field, "errors": errors, "memory_limit": memory_limit}
    trainer = BpeTrainer(**settings)
    if fair:
        sources, size_of = sources_of(corpus, sizes)
        tok, notes = told(lambda: trainer.train_fair(sources, sizes=size_of, **reading))
    elif sizes:
        raise click.UsageError("--size goes with --fair")
    else:
        tok, notes = learn(corpus, trainer, reading)
    save(tok, out, format_, log)
    if watch:
        show_rounds(corpus, tok, settings, reading)
    report(tok, out, notes, as_json)


def learn(
    corpus: Sequence[Path],
    trainer: BpeTrainer | WordPieceTrainer | UnigramTrainer,
    reading: dict[str, Any],
) -> tuple[Tokenizer, list[str]]:
    """The tokenizer that files of text or of counts give, and what is to be said about it."""

    def train() -> Tokenizer:
        counts = counts_in(corpus)
        return trainer.train(corpus, **reading) if counts is None else trainer.train_counts(counts)

    return told(train)


def told(train: Callable[[], Tokenizer]) -> tuple[Tokenizer, list[str]]:
    """What a training gives, and what is to be said about it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", TrainingWarning)
        try:
            tok = train()
        except SubwordError:
            raise
        except ValueError as error:  # an argument that makes no sense
            raise Failure(str(error)) from error
    return tok, [str(warning.message) for warning in said]


def save(tok: Tokenizer, out: str, format_: str | None, log: Path | None) -> None:
    """Write the tokenizer, and what happened."""
    tok.save(out, format=format_)
    learned = training_log(tok)
    if log is not None and learned is not None:
        learned.save(log)


def report(tok: Tokenizer, out: str, notes: Sequence[str], as_json: bool) -> None:
    """Print what was learned."""
    tell(summary(tok, out), facts_of(tok, out), as_json)
    for note in notes:
        print_error(f"note: {note}")


def starts_from_words(tok: Tokenizer | None) -> bool:
    """Whether there is a tokenizer, and its pieces do not start as their bytes."""
    return tok is not None and (tok.units == "chars" or tok.end_of_word is not None)


def show_rounds(
    corpus: Sequence[Path], tok: Tokenizer, settings: dict[str, Any], reading: dict[str, Any]
) -> None:
    """Show how the tokenizer was learned, merge by merge, if the corpus is small."""
    log, base = training_log(tok), settings["base"]
    assert log is not None  # it was trained just now
    if log.different > watching.MOST_PIECES:
        what = f"{log.different:,} different pieces, the most is {watching.MOST_PIECES:,}"
        print_error(f"note: --watch is for small inputs: {what}")
        return
    counts = counts_in(corpus)
    if counts is None:
        special = [*(base.special_tokens if base else ()), *(settings["special_tokens"] or ())]
        special = [*dict.fromkeys(special)]
        counts = count_pieces(corpus, pattern=tok.pattern, special_tokens=special, **reading)
    rules = {name: settings[name] for name in ("ties", "max_token_length")}
    for one in watching.rounds(counts, tok, base=base, **rules):
        say(watching.shown(one, rules["ties"], colour=has_colours()) + "\n")


def counts_in(corpus: Sequence[Path]) -> Counts | None:
    """The sum of the counts in these files; None where they are text."""
    found = [is_counts(path) for path in corpus]
    if not any(found):
        return None
    if not all(found):
        text, counts = corpus[found.index(False)], corpus[found.index(True)]
        raise Failure(
            f"{counts} holds counts and {text} does not",
            f"count the text first: subword count-pieces {text} -o {text.stem}.counts",
        )
    total = Counts.load(corpus[0])
    for path in corpus[1:]:
        total += Counts.load(path)
    return total


def summary(tok: Tokenizer, out: str) -> Iterator[tuple[str, str]]:
    """What was learned and what it took, row by row."""
    log = training_log(tok)
    assert log is not None  # it was trained just now
    special = len(tok.special_tokens)
    first = tok.vocab_size - special - len(log.merges)
    yield "pieces", f"{log.pieces:,}, of which {log.different:,} differ"
    yield (
        "vocabulary",
        f"{tok.vocab_size:,} tokens: {first:,} to start with, {len(log.merges):,} merges, "
        f"{special:,} special",
    )
    for at, merge in enumerate(log.merges[:3]):
        pair = " + ".join(map(shown, merge.pair))
        yield "first merges" if at == 0 else "", f"{merge.count:>12,}  {pair}"
    if log.merges:
        last = log.merges[-1]
        yield "last merge", f"{last.count:>12,}  {' + '.join(map(shown, last.pair))}"
    phases = ", ".join(f"{phase.name} {phase.seconds:.2f}" for phase in log.phases)
    yield "seconds", f"{log.seconds:.2f}: {phases}"
    peaks = [phase.peak_bytes for phase in log.phases if phase.peak_bytes is not None]
    if peaks:
        yield "peak memory", f"{max(peaks) / 1e6:,.0f} MB"
    yield "wrote", out


def facts_of(tok: Tokenizer, out: str) -> dict[str, Any]:
    """The same for machines; `--log` has every merge."""
    log = training_log(tok)
    assert log is not None  # it was trained just now
    return {
        "pieces": log.pieces,
        "different": log.different,
        "vocab_size": tok.vocab_size,
        "merges": len(log.merges),
        "special_tokens": len(tok.special_tokens),
        "stop": log.stop,
        "seconds": round(log.seconds, 3),
        "out": out,
    }
