"""Tokenizers measured on texts.

evaluate    `evaluate`: which tokenizers, which texts
counting    files -> words, and how often each token comes out
measures    what the numbers are
report      the measures of several tokenizers on several texts: table, JSON
chart       the same as a picture
"""
