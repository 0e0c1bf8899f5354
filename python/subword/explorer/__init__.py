"""The explorer: a page in the browser that shows what tokenizers do.

    subword explore tokenizer.json

    explored.py     a tokenizer with all that the page asks of it, looked up once
    questions.py    what a request may say, and how it is refused
    text.py         a text as tokens; the same text by several tokenizers
    merging.py      which merge makes a token
    building.py     how a token was merged, and what it is a part of
    vocabulary.py   all tokens: searched, filtered, sorted, a window at a time
    scripts.py      which script a token is written in
    training.py     a small training, round by round
    samples.py      a text to begin with, and sentences in several languages; data/ has them
    opening.py      a tokenizer that is opened from the page
    app.py          the addresses, the limits, the headers
    server.py       loopback, a port, the end
    static/         the page: HTML, CSS and modules of JavaScript, as they are sent

Text is untrusted and stays text: the page builds its elements by `textContent`, and a
Content-Security-Policy forbids all else. Nothing is asked of any other machine.
"""

try:
    from subword.explorer.app import application
    from subword.explorer.server import serve
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
        raise
    raise ImportError(
        "the explorer needs Starlette and uvicorn\n  hint: pip install 'subword[explore]'",
        name=error.name,
    ) from error

from subword.explorer.explored import Explored

__all__ = ["Explored", "application", "serve"]
