"""The tests of the Python package, a folder for each theme:

    contract/      what holds for every tokenizer; the public names; the rules of the source tree
    encoding/      encoding and decoding, call by call and kind of model by kind of model
    parity/        the same answers as the real tiktoken and Hugging Face libraries
    training/      the trainers: what they learn, their settings, how a training runs
    corpus/        files to counts, and files to token files
    analysis/      explaining, measuring and pruning a vocabulary
    reference/     the algorithms in plain Python
    cli/           the command line
    explorer/      the web page, its server and its views in a browser
    integrations/  our tokenizers inside of tiktoken, transformers, datasets, Spark and Ray
    robustness/    hostile input, limits of memory and threads, interrupts
    project/       the pages, the demonstration and the benchmark of this repository
    data/          fetches published vocabularies and texts: ``make data``
    support/       what several tests share; a test imports it as ``tests.support.<module>``

No test imports another test: what two of them need is in ``support``. The engine's own tests are
beside its code, in ``crates/subword-core``.
"""
