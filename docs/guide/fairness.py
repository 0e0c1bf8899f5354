"""Draws the picture of the guide on fair training, from a file for each language.

Of every eight lines seven are learned from, by plain training on the sum of the counts and by fair
training, and the eighth is measured. Needs matplotlib.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from subword import BpeTrainer, Counts, Evaluation, count_pieces, evaluate
from subword._picture import picture

HERE = Path(__file__).parent


def main() -> None:
    """Learn, measure, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="named after their languages: en.txt")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--vocab-size", type=int, default=32_000)
    given = parser.parse_args()
    trainer = BpeTrainer(given.vocab_size, pattern="cl100k")
    with TemporaryDirectory() as folder:
        counts, unseen = {}, {}
        for file in given.files:
            name = file.stem.partition("_")[0]
            lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
            unseen[name] = Path(folder, file.name)
            unseen[name].write_text("".join(lines[::8]), encoding="utf-8")
            seen = (line for at, line in enumerate(lines) if at % 8)
            counts[name] = count_pieces(texts=seen, **trainer.counting())
        total = sum(counts.values(), Counts(**trainer.counting()))
        tokenizers = {"plain": trainer.train_counts(total), "fair": trainer.train_fair(counts)}
        found = evaluate(tokenizers, unseen)
    print(found)
    for name in tokenizers:
        rates = rates_of(found, name, [*unseen])
        print(f"{name}: {min(rates):.3f} to {max(rates):.3f} tokens per byte")
    draw(found, [*unseen], given.out / "fairness.svg")


def rates_of(found: Evaluation, tokenizer: str, texts: list[str]) -> list[float]:
    """Tokens per byte of each text."""
    rows = {row.text: row for row in found.rows if row.tokenizer == tokenizer}
    return [rows[text].tokens / rows[text].bytes for text in texts]


def draw(found: Evaluation, texts: list[str], path: Path) -> None:
    """Bars for each text, and lines at the best and the worst of each tokenizer."""
    with picture(path) as axes:
        for at, (name, colour) in enumerate((("plain", "0.7"), ("fair", "tab:blue"))):
            rates = rates_of(found, name, texts)
            places = [place + (at - 0.5) * 0.4 for place in range(len(texts))]
            axes.bar(places, rates, 0.4, label=name, color=colour)
            for rate in (min(rates), max(rates)):
                axes.axhline(rate, color=colour, linewidth=0.8, linestyle="--")
        axes.set_xticks(range(len(texts)), texts)
        axes.set_ylabel("tokens per byte")
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main()
