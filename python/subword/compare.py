"""Trainers side by side: the same pieces in, the same merges out, and what each of them took.

Three kinds of trainers take part: those of `subword.reference`, the engine, and Hugging Face
tokenizers where it is installed. `subword compare` does all of this on the command line.

    corpus -> counts -> Task -> a process for each trainer -> Run -> table, chart

* ``task_of_bytes(counts, num_merges)``, ``task_of_words(counts, num_merges)``: what all trainers
  are given. Pieces start as bytes, or words as characters with ``</w>``; ``in_lower_case`` makes
  words of pieces that the pattern ``WORDS`` has cut.
* ``TRAINERS``, ``available()``: the trainers by name, and the names of those that can run here.
* ``measured(name, task)``: the `Run` of one trainer, in a process of its own.
* ``difference(runs)``: the first merge in which runs differ, or None.
* ``table(task, runs)``, ``text_chart(runs)``, ``draw(runs, path)``: what they took.
  ``draw_lines(lines, path)`` draws any `Line` in the same style, and ``timed(call)`` is the clock.

Example:
    >>> from subword import compare
    >>> task = compare.task_of_bytes({b"low": 5, b"lower": 2}, num_merges=2)
    >>> run = compare.TRAINERS["naive"](task)
    >>> run.merges
    [(b'l', b'o'), (b'lo', b'w')]
    >>> compare.difference([run, compare.TRAINERS["engine"](task)]) is None
    True
"""

from subword._compare.chart import Line, draw, draw_lines, text_chart
from subword._compare.process import measured
from subword._compare.report import difference, table
from subword._compare.run import Run
from subword._compare.task import WORDS, Task, in_lower_case, task_of_bytes, task_of_words
from subword._compare.trainers import ENGINE, TOKENIZERS, TRAINERS, available, timed

__all__ = [
    "ENGINE",
    "TOKENIZERS",
    "TRAINERS",
    "WORDS",
    "Line",
    "Run",
    "Task",
    "available",
    "difference",
    "draw",
    "draw_lines",
    "in_lower_case",
    "measured",
    "table",
    "task_of_bytes",
    "task_of_words",
    "text_chart",
    "timed",
]
