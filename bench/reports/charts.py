"""Draws the charts of a filed result, as SVG.

    encode-warm, encode-fresh    one large text by cl100k, MB/s by text
    batches                      many documents, one thread
    training, wordpiece          MB/s by corpus

They go to `charts/` beside the result (see `publish`). A chart has a group of bars for each path
and in it a bar for each library, ours first, the reference last; what the result lacks is not
drawn. The same result gives the same bytes.

Why by hand and not with matplotlib: a chart is 10 kB and not 60, its text is text, its colours
follow the reader's light or dark page, and the benchmark needs no further library.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path
from xml.sax.saxutils import escape

from libraries import OURS
from reports.filed import Filed
from reports.tables import significant

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 62, 28

#: A colour for each library, the same in every chart; seen on white and on black.
COLOURS = {
    OURS: "#d9480f",
    "gigatoken": "#1c7ed6",
    "fastokens": "#0ca678",
    "tiktoken": "#868e96",
    "tokenizers": "#f0b429",
    "gigabpe": "#7048e8",
    "rustbpe": "#a9744f",
    "youtokentome": "#d6336c",
    "sentencepiece": "#4c6663",
    "nanotoken": "#7048e8",
    "tokie": "#a9744f",
}

STYLE = """
text { font: 11px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #24292f }
.title { font-size: 14px; font-weight: 600 }
.value { font-size: 9px; text-anchor: middle }
.tick { text-anchor: end; fill: #6e7781 }
.group { text-anchor: middle }
line { stroke: #8c959f; stroke-opacity: 0.35 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .tick { fill: #9198a1 } }
""".strip()


@dataclass(frozen=True)
class Chart:
    """Bars by path: what stands below a group, and the path that it is about."""

    name: str
    title: str
    groups: dict[str, str]


TEXTS = ("en", "code", "ru", "zh", "multi")
TRAINED = {"en": "32k", "enwiki": "32k", "code": "32k", "zh": "32k", "tinystories": "10k"}

CHARTS = (
    Chart(
        "encode-warm",
        "Encoding a text again: MB/s, cl100k, one thread, ids as an array",
        {text: f"encode/cl100k/{text}/warm" for text in TEXTS},
    ),
    Chart(
        "encode-fresh",
        "Encoding text never seen: MB/s, cl100k, one thread, ids as an array",
        {text: f"encode/cl100k/{text}/fresh" for text in TEXTS},
    ),
    Chart(
        "batches",
        "20,000 documents by one call: MB/s, cl100k, one thread",
        {
            f"{size}, {ids}": f"batch/cl100k/{size}/{ids}/1-thread"
            for size in ("500B", "2kB")
            for ids in ("arrays", "lists")
        },
    ),
    Chart(
        "training",
        "Training, from a file to merges: MB/s, GPT-2's pattern, one thread",
        {f"{text}, {size}": f"train/{text}/{size}" for text, size in TRAINED.items()},
    ),
    Chart(
        "wordpiece",
        "WordPiece, lines to ids and offsets: MB/s, bert-base-uncased, one thread",
        {
            f"{text} {kind}": f"wordpiece/{text}/{kind}"
            for kind in ("fresh", "warm")
            for text in ("en", "ru", "zh", "multi")
        },
    ),
)


def draw(chart: Chart, filed: Filed) -> str | None:
    """The SVG, or None where nothing of it was measured."""
    groups = {
        label: path for label, path in chart.groups.items() if filed.speed(path, OURS) is not None
    }
    if not groups:
        return None
    libraries = sorted(filed.libraries(list(groups.values())), key=order)
    speeds = [filed.speed(path, one) or 0 for path in groups.values() for one in libraries]
    step = tick_step(max(speeds))
    top = step * ceil(max(speeds) / step)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(chart.title)}</title>",
        f"<desc>{escape(described(groups, libraries, filed))}</desc>",
        f"<style>\n{STYLE}\n</style>",
        f'<text class="title" x="{LEFT}" y="20">{escape(chart.title)}</text>',
        *legend(libraries),
        *ticks(step, top),
        *bars(groups, libraries, filed, top),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def order(library: str) -> tuple[bool, bool]:
    """Ours first, the libraries of reference last."""
    return library != OURS, library in ("tiktoken", "tokenizers")


def described(groups: dict[str, str], libraries: list[str], filed: Filed) -> str:
    """The numbers in words, for those who do not see the bars."""
    said = []
    for label, path in groups.items():
        found = [(one, filed.speed(path, one)) for one in libraries]
        numbers = [f"{one} {significant(speed)}" for one, speed in found if speed is not None]
        said.append(f"{label}: {', '.join(numbers)}")
    return "; ".join(said)


def legend(libraries: list[str]) -> list[str]:
    parts, x = [], float(LEFT)
    for library in libraries:
        colour = COLOURS[library]
        parts.append(f'<rect x="{x:g}" y="32" width="10" height="10" rx="2" fill="{colour}"/>')
        parts.append(f'<text x="{x + 14:g}" y="41">{library}</text>')
        x += 30 + 6.2 * len(library)
    return parts


def ticks(step: float, top: float) -> list[str]:
    parts = []
    for number in range(round(top / step) + 1):
        y = height(number * step, top)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:g}" y2="{y:g}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 6}" y="{y + 4:g}">{number * step:g}</text>')
    return parts


def bars(groups: dict[str, str], libraries: list[str], filed: Filed, top: float) -> list[str]:
    """The bars, each with its number, and the names of the groups."""
    parts = []
    wide = (WIDTH - LEFT - RIGHT) / len(groups)
    bar = wide * 0.9 / len(libraries)
    for place, (label, path) in enumerate(groups.items()):
        start = LEFT + place * wide + wide * 0.05
        middle = LEFT + (place + 0.5) * wide
        parts.append(f'<text class="group" x="{middle:.1f}" y="{HEIGHT - 9}">{label}</text>')
        for number, library in enumerate(libraries):
            speed = filed.speed(path, library)
            if speed is None:
                continue
            x, y = start + number * bar, height(speed, top)
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{bar * 0.86:.1f}" '
                f'height="{HEIGHT - BOTTOM - y:.1f}" fill="{COLOURS[library]}">'
                f"<title>{library}, {label}: {significant(speed)} MB/s</title></rect>"
            )
            value = f"{speed:.0f}" if speed >= 10 else f"{speed:.1f}"
            parts.append(
                f'<text class="value" x="{x + bar * 0.43:.1f}" y="{y - 3:.1f}">{value}</text>'
            )
    return parts


def height(value: float, top: float) -> float:
    """Where a value lies, from above."""
    return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top, 1)


def tick_step(most: float) -> float:
    """A round number that leaves three to six lines.

    Example:
        >>> tick_step(269.0), tick_step(83.0), tick_step(7.0)
        (50.0, 20.0, 2.0)
    """
    scale = 10 ** floor(log10(most))
    return next(float(scale * part) for part in (0.2, 0.5, 1, 2) if most / (scale * part) <= 6)


def write(filed: Filed, folder: Path) -> list[Path]:
    """Draw every chart into the folder; those of another result that lack here are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for chart in CHARTS:
        file, drawn = folder / f"{chart.name}.svg", draw(chart, filed)
        if drawn is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(drawn, encoding="utf-8")
            written.append(file)
    return written
