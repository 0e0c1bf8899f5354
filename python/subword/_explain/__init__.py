"""How a text became its tokens: `explain` and `explain_text`.

explanation   what is told of a piece: data, a table, a tree
html          tokens in a notebook
explainer     merging once more, slowly
wordpiece     the same for WordPiece
visible       tokens for the eye
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subword._explain.explainer import Explainer
    from subword._explain.explanation import Explanation, Explanations
    from subword._tokenizer import Tokenizer
    from subword._types import Special, Text


def explain(tok: Tokenizer, piece: Text) -> Explanation:
    """Tell how one piece becomes its tokens, merge by merge.

    Args:
        tok: The tokenizer.
        piece: A text that the tokenizer's pattern does not cut; for WordPiece, one word.

    Returns:
        What happened: ``print`` shows it as a table, ``tree()`` as a tree, ``as_dict()`` as data.

    Raises:
        TextError: The text has several pieces, or one that is too long to be looked at.

    Example:
        >>> from subword import BpeTrainer, explain
        >>> tok = BpeTrainer(num_merges=3).train_iter(["low low lower lower newer"])
        >>> print(explain(tok, "lower"))
        lower
          rank  pair  tokens
                      l o w e r
             0  o+w   l ow e r
             1  l+ow  low e r
             2  e+r   low er
           ids        257 258
        >>> print(explain(tok, "lower").tree())
        lower
        ├── low  rank 1, id 257
        │   ├── l
        │   └── ow  rank 0
        │       ├── o
        │       └── w
        └── er  rank 2, id 258
            ├── e
            └── r
    """
    return tok._explainer.piece(piece)


def explain_text(tok: Tokenizer, text: Text, *, special: Special = "text") -> Explanations:
    """Tell how every piece of a text becomes its tokens.

    Args:
        tok: The tokenizer.
        text: Any text.
        special: What to do where the text spells a special token, as in `Tokenizer.encode`.

    Returns:
        A list of what happened to each piece, in order. A special token is a piece by itself. A
        notebook shows the list as the coloured tokens of the text.

    Raises:
        SpecialTokenError: The text spells a special token, with ``special="error"``.
        TextError: A piece is too long to be looked at, or the text cannot be encoded.

    Example:
        >>> from subword import BpeTrainer, explain_text
        >>> tok = BpeTrainer(num_merges=2).train_iter(["low low lower"])
        >>> [(one.piece, one.tokens) for one in explain_text(tok, "low slow")]
        [(b'low', (b'low',)), (b' slow', (b' ', b's', b'low'))]
    """
    from subword._explain.explanation import Explanations

    return Explanations(tok._explainer.text(text, special))


def explainer_of(tok: Tokenizer) -> Explainer:
    """What explains the pieces of a tokenizer."""
    tok._require_pieces("tok", "explained")
    from subword._explain.explainer import Explainer
    from subword._explain.wordpiece import WordPieceExplainer

    return WordPieceExplainer(tok) if tok.kind == "wordpiece" else Explainer(tok)
