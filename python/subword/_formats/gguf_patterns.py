"""What the names of llama.cpp's pre-tokenizers mean: how text is cut, and what follows from it.

A GGUF file says `tokenizer.ggml.pre`, and llama.cpp's `src/llama-vocab.cpp` has the expressions
for it, with comments on the `tokenizer.json` that they come from. Here stands what the
`tokenizer.json` says where the two differ: a model was trained with that, and llama.cpp rewrites
some expressions for an engine that lacks `(?i:...)` and `\\p{Lu}`.

Names that stand for something that is no list of expressions are not here, and are refused.
"""

from __future__ import annotations

from dataclasses import dataclass

_ANY_CASE = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPELLED = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_TAIL = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_BEFORE = r"[^\r\n\p{L}\p{N}]?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_SYMBOLS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_NOT_HAN_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
_NOT_HAN_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
_IDEOGRAPHS = r"[\x{4e00}-\x{9fa5}\x{800}-\x{4e00}\x{ac00}-\x{d7ff}]+"
_LETTERS = (
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293"
    "\u0295-\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c"
    "\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5"
    "\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77"
    "\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59"
    "\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc"
    "\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107"
    "\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139"
    "\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee"
    "\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e"
    "\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f"
    "\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2"
    "\U000118a0-\U000118df\U0001e900-\U0001e943"
)


def _words(ending: str, upper: str = _UPPER, lower: str = _LOWER) -> str:
    """Words by the case of their letters, as o200k has them."""
    return f"{_BEFORE}{upper}*{lower}+{ending}|{_BEFORE}{upper}+{lower}*{ending}"


QWEN35 = (
    rf"{_ANY_CASE}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}|"
    rf" ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_TAIL}"
)
BLOOM = r" ?[^(\s|.,!?\x{2026}\x{3002}\x{ff0c}\x{3001}\x{964}\x{6d4}\x{60c})]+"
TEKKEN = rf"{_words('')}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_TAIL}"
KIMI = (
    rf"[\p{{Han}}]+|{_words(f'{_ANY_CASE}?', _NOT_HAN_UPPER, _NOT_HAN_LOWER)}"
    rf"|\p{{N}}{{1,3}}|{_SYMBOLS}|{_TAIL}"
)


@dataclass(frozen=True)
class PreTokenizer:
    """What one name means."""

    #: Names of our patterns and regular expressions, each of which cuts the pieces of the last.
    patterns: tuple[str, ...]
    #: Whether a piece that is a token is that token, whatever the merges say.
    ignore_merges: bool = False
    #: Whether a text begins with the token of beginnings where the file does not say.
    add_bos: bool = False
    #: Whether a file without merges merges by the order of its ids, as tiktoken does.
    ranked: bool = False


def _all(names: str, *patterns: str, **more: bool) -> dict[str, PreTokenizer]:
    return dict.fromkeys(names.split(), PreTokenizer(patterns, **more))


#: Without a name, and in old files, llama.cpp cuts so, and warns.
DEFAULT = PreTokenizer((r"[\p{P}\$\+<=>\^~\|]+", "gpt2", r"\p{N}+", "[0-9][0-9][0-9]"))

#: Every name, in the order of llama.cpp's table.
PRE_TOKENIZERS = {
    "default": DEFAULT,
    **_all(
        "minicpm5",
        r"\p{N}{1,3}",
        rf"{_ANY_CASE}|{_BEFORE}\p{{L}}+|\p{{N}}+|{_SYMBOLS}|{_TAIL}",
        ignore_merges=True,
    ),
    **_all(
        "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
        "llama3",
        ignore_merges=True,
        add_bos=True,
    ),
    **_all(
        "deepseek-llm",
        r"[\r\n]",
        rf"\s?[{_LETTERS}]+",
        r"\s?[!-/:-~\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff5e}\x{2018}-\x{201f}\x{3000}-\x{3002}]+",
        r"\s+$",
        _IDEOGRAPHS,
        r"\p{N}+",
    ),
    **_all("deepseek-coder", r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _IDEOGRAPHS, r"\p{N}"),
    **_all("deepseek-v3 hunyuan-dense hy_v4 joyai-llm", "deepseek-v3"),
    **_all(
        "youtu",
        r"[\x{ac00}-\x{d7a3}\x{3131}-\x{318e}]+|[\x{ff01}\x{2026}\x{201c}\x{201d}\x{2018}\x{2019}\x{2014}\x{ff1a}\x{ff1b}\x{ff0c}\x{3001}-\x{303f}\x{fe30}-\x{fe4f}]+|[\x{3105}-\x{312f}]+|[\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+",
        rf"{_words(f'{_SPELLED}?')}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_TAIL}",
        ignore_merges=True,
    ),
    **_all("falcon", r"[\p{P}\$\+<=>\^~\|`]+", "gpt2", "[0-9][0-9][0-9]"),
    **_all("mpt olmo jais trillion granite-docling exaone4", "gpt2"),
    **_all("gpt-2 phi-2 jina-es jina-de jina-v2-es jina-v2-de gigachat a.x-4.0 mellum", "gpt2"),
    **_all("modern-bert jina-v1-en jina-v2-code roberta-bpe", "gpt2"),
    **_all("starcoder refact command-r smollm codeshell exaone minerva-7b", r"\p{N}", "gpt2"),
    **_all("mellum2", r"\p{N}", "gpt2"),
    **_all("qwen2 deepseek-r1-qwen kormo f2llmv2 stablelm2 hunyuan megrez solar-open", "qwen2"),
    **_all("grok-2", "qwen2"),
    **_all("qwen35", QWEN35),
    **_all("dbrx smaug-bpe chatglm-bpe", "llama3"),
    **_all("glm4 glm5", "llama3", ignore_merges=True),
    **_all("poro-chat bloom gpt3-finnish", BLOOM),
    **_all("viking", BLOOM, r"\p{N}"),
    **_all("tekken", TEKKEN, ignore_merges=True, add_bos=True),
    **_all("gpt-4o llama4 kanana2 talkie minimax-m2", "o200k"),
    **_all("tiny_aya cohere2moe", r"\d{1,3}(?=(?:\d{3})*\b)", "o200k"),
    **_all("kimi-k2", KIMI, ranked=True),
    **_all("superbpe", r"\p{N}+", r"(?=(\d{3})+(?!\d))"),
    **_all(
        "bailingmoe bailingmoe2 llada-moe",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*"
        r"|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
    **_all(
        "seed-coder",
        rf"{_ANY_CASE}|{_BEFORE}\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_TAIL}",
    ),
    **_all("ufakzeka", rf"{_BEFORE}\p{{L}}+|\p{{N}}|{_SYMBOLS}|{_TAIL}"),
    **_all("laguna", r"[^\n]+|[\n]+", "qwen2"),
}
