"""Trainers side by side: the same pieces in, the same merges out, and what each of them took.

    corpus -> counts -> Task (`task`)  ->  a process for each trainer (`process`, `trainers`)
                                       ->  Runs (`run`): compared, in a table, in a chart

Three kinds of trainers take part: those of `subword.reference`, the engine, and Hugging Face
tokenizers where it is installed.
"""
