"""Published `.tiktoken` files of models, whose patterns and special tokens are in Python code.

    Whisper   openai-whisper 20250625, `whisper/tokenizer.py`
    Llama     llama-models 0.3.0, `llama3/tokenizer.py` and `llama4/tokenizer.py`

The files are recognised by their hashes. Whisper's are found by name, too: in the folders where all
such files are looked for, and in the package openai-whisper where it is installed.
"""

from __future__ import annotations

from collections.abc import Iterable

from subword._names.encodings import GPT2, O200K, Published

#: The languages of Whisper, in the order of their ids.
_CODES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta "
    "no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk "
    "sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb "
    "my bo tl mg as tt haw ln ha ba jw su yue"
)
LANGUAGES = _CODES.split()

#: Of how many languages a model of Whisper knows.
FIRST_LANGUAGES, ALL_LANGUAGES = 99, 100

#: How many ids after its tokens are special for Llama 3, and for Llama 4.
LLAMA3_SPECIAL, LLAMA4_SPECIAL = 256, 2048

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def _numbered(tokens: Iterable[str], first: int) -> dict[str, int]:
    return {token: first + at for at, token in enumerate(tokens)}


def _whisper(first: int, languages: int) -> dict[str, int]:
    """Whisper's special tokens: the last are the times from 0 to 30 seconds."""
    tokens = ["endoftext", "startoftranscript", *LANGUAGES[:languages], "translate", "transcribe"]
    tokens += ["startoflm", "startofprev", "nospeech", "notimestamps"]
    tokens += [f"{at * 0.02:.2f}" for at in range(1501)]
    return _numbered([f"<|{token}|>" for token in tokens], first)


def _reserved(name: str, first: int, count: int) -> list[str]:
    return [f"{name}reserved_special_token_{at}" for at in range(first, first + count)]


def _llama3() -> dict[str, int]:
    tokens = ["begin_of_text", "end_of_text", *_reserved("", 0, 2), "finetune_right_pad_id"]
    tokens += ["step_id", "start_header_id", "end_header_id", "eom_id", "eot_id", "python_tag"]
    tokens += ["image"]
    tokens += _reserved("", 2, LLAMA3_SPECIAL - len(tokens))
    return _numbered([f"<|{token}|>" for token in tokens], 128_000)


def _llama4() -> dict[str, int]:
    text, vision, thought = "text_post_train_", "vision_", "reasoning_"
    tokens = ["begin_of_text", "end_of_text", "fim_prefix", "fim_middle", "fim_suffix"]
    tokens += ["header_start", "header_end", "eom", "eot", "step", *_reserved(text, 0, 6)]
    tokens += ["python_start", "python_end", "finetune_right_pad", *_reserved(text, 8, 61)]
    tokens += ["image_start", "image_end", *_reserved(vision, 0, 2), "tile_x_separator"]
    tokens += ["tile_y_separator", *_reserved(vision, 2, 4), "image", *_reserved(vision, 6, 1)]
    tokens += ["patch", *_reserved(vision, 7, 1041), *_reserved(thought, 0, 8)]
    tokens += ["reasoning_thinking_start", "reasoning_thinking_end"]
    tokens += _reserved("", 0, LLAMA4_SPECIAL - len(tokens))
    return _numbered([f"<|{token}|>" for token in tokens], 200_000)


_MULTILINGUAL = (
    "multilingual.tiktoken",
    "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126",
    GPT2,
)
_ENGLISH = (
    "gpt2.tiktoken",
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    GPT2,
)

#: Whisper's files by name. The English one is that of GPT-2, as which it is recognised.
WHISPER = {
    "whisper": Published(*_MULTILINGUAL, _whisper(50_257, FIRST_LANGUAGES)),
    "whisper-large-v3": Published(*_MULTILINGUAL, _whisper(50_257, ALL_LANGUAGES)),
    "whisper-english": Published(*_ENGLISH, _whisper(50_256, FIRST_LANGUAGES)),
}

#: Files that are recognised, and have no name of their own.
LLAMA = [
    Published(
        "tokenizer.model",
        "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
        LLAMA3,
        _llama3(),
    ),
    Published(
        "tokenizer.model",
        "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed",
        O200K,
        _llama4(),
    ),
]
