"""`subword explore`: a page in the browser that shows what tokenizers do."""

from __future__ import annotations

import errno
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path

import click

from subword import Tokenizer
from subword._cli.group import PATH, Failure, main


@main.command()
@click.argument("tokenizers", metavar="[TOKENIZER]...", nargs=-1, type=PATH)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="The port; without it, any that is free.",
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=PATH,
    help="What `subword train --log` wrote of one of the tokenizers: the page shows its counts.",
)
@click.option(
    "--pattern",
    "patterns",
    metavar="NAME",
    multiple=True,
    help="The split pattern of .tiktoken files, which do not hold one: once for all of them, or "
    "once for each in their order.",
)
def explore(
    tokenizers: tuple[Path, ...],
    port: int,
    no_browser: bool,
    logs: tuple[Path, ...],
    patterns: tuple[str, ...],
) -> None:
    """Look at tokenizers in a browser.

    The page shows texts as tokens, merges, the vocabulary, and a training step by step. Without a
    TOKENIZER it is a small one that is trained at the start. The page is for this machine alone,
    and asks nothing of any other. Ctrl-C ends it.

    \b
    Examples:
      subword explore
      subword explore tokenizer.json
      subword explore mine.json theirs/tokenizer.json --port 8000
      subword explore cl100k_base o200k_base --no-browser
      subword explore my.tiktoken your.tiktoken --pattern cl100k --pattern o200k
    """
    try:
        from subword.explorer import Explored, serve
        from subword.explorer.explored import add_log
        from subword.explorer.samples import built_in
    except ImportError as error:
        raise Failure(str(error)) from error  # it has a hint

    names = shortest_names(tokenizers)
    by_path = patterns_of(tokenizers, patterns)
    loaded = [Tokenizer.load(path, pattern=by_path.get(path)) for path in tokenizers]
    explored = [*map(Explored, names, loaded)] or built_in()
    for log in logs:
        add_log(explored, log)

    def ready(address: str) -> None:
        click.echo(f"exploring {', '.join(one.name for one in explored)} at {address}")
        click.echo("Ctrl-C ends it", err=True)
        if not no_browser:  # in a thread: a browser on a terminal only returns when it ends
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    # Whether an interrupt is raised here depends on what the server is doing when it comes.
    try:
        with suppress(KeyboardInterrupt):
            serve(explored, port, ready)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        what = f"--port {port}: another program uses this port"
        raise Failure(what, "leave --port out for one that is free") from error
    click.echo(err=True)  # a line end after the ^C that the terminal shows


def patterns_of(paths: tuple[Path, ...], patterns: tuple[str, ...]) -> dict[Path, str]:
    """The pattern of each file that has none of its own."""
    without = [path for path in paths if path.suffix == ".tiktoken"]
    if len(patterns) == 1:
        return dict.fromkeys(without or paths, patterns[0])
    if len(patterns) not in (0, len(without)):
        what = f"--pattern: expected one, or {len(without)} for the .tiktoken files"
        raise click.UsageError(f"{what}, found {len(patterns)}")
    return dict(zip(without, patterns, strict=False))


def shortest_names(paths: tuple[Path, ...]) -> list[str]:
    """The names of files, with as many of their folders as tell them apart.

    >>> shortest_names((Path("a/gpt2/tokenizer.json"), Path("a/bert/tokenizer.json")))
    ['gpt2/tokenizer.json', 'bert/tokenizer.json']
    >>> shortest_names((Path("mine.json"),))
    ['mine.json']
    """
    for length in range(1, max([len(path.parts) for path in paths], default=0) + 1):
        names = [str(Path(*path.parts[-length:])) for path in paths]
        if len({*names}) == len({*paths}):
            return names
    return []
