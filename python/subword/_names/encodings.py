"""The published encodings as of tiktoken 0.14.0: files, patterns, special tokens.

`tests/integrations/test_tiktoken_published.py` compares every line with the installed tiktoken.
"""

from __future__ import annotations

from dataclasses import dataclass

END = "<|endoftext|>"
END_OF_PROMPT = "<|endofprompt|>"
FILL_IN = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_BEFORE, _ENDING = r"[^\r\n\p{L}\p{N}]?", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = (
    rf"{_BEFORE}{_UPPER}*{_LOWER}+{_ENDING}|{_BEFORE}{_UPPER}+{_LOWER}*{_ENDING}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

HOST = "https://openaipublic.blob.core.windows.net/encodings/"


@dataclass(frozen=True)
class Published:
    """One published encoding; the file is named ``file`` and has the hash ``sha256``."""

    file: str
    sha256: str
    pattern: str
    special_tokens: dict[str, int]

    @property
    def url(self) -> str:
        """Where the file is published; tiktoken's cache names a file by the sha1 of this."""
        return HOST + self.file


_R50K = (
    "r50k_base.tiktoken",
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    GPT2,
)
_P50K = (
    "p50k_base.tiktoken",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    GPT2,
)
_CL100K = (
    "cl100k_base.tiktoken",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    CL100K,
)
_O200K = (
    "o200k_base.tiktoken",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    O200K,
)
_HARMONY = {
    "<|startoftext|>": 199998,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}
_RESERVED = {200000, 200001, 200004, *range(200009, 200012), *range(200013, 201088)}

# gpt2 and r50k_base are one vocabulary under two names.
ENCODINGS = {
    "gpt2": Published(*_R50K, {END: 50256}),
    "r50k_base": Published(*_R50K, {END: 50256}),
    "p50k_base": Published(*_P50K, {END: 50256}),
    "p50k_edit": Published(
        *_P50K, {END: 50256, **{token: 50281 + at for at, token in enumerate(FILL_IN)}}
    ),
    "cl100k_base": Published(
        *_CL100K,
        {
            END: 100257,
            **{token: 100258 + at for at, token in enumerate(FILL_IN)},
            END_OF_PROMPT: 100276,
        },
    ),
    "o200k_base": Published(*_O200K, {END: 199999, END_OF_PROMPT: 200018}),
    "o200k_harmony": Published(
        *_O200K,
        {END: 199999, END_OF_PROMPT: 200018}
        | _HARMONY
        | {f"<|reserved_{id}|>": id for id in sorted(_RESERVED)},
    ),
}
