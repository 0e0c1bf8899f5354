"""How a text became its tokens.

explainer   merging once more, slowly
wordpiece   the same for WordPiece
"""
