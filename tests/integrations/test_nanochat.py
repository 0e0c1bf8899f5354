"""The tokenizer class of nanochat: its methods, its conversations, and rustbpe's way to merge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from subword import BpeTrainer
from subword.integrations.nanochat import PATTERN, SPECIAL_TOKENS, NanochatTokenizer

from tests.support.small import SAMPLE

TOKENIZER = NanochatTokenizer.train_from_iterator([SAMPLE] * 3, 320)
IDS = {token: TOKENIZER.encode_special(token) for token in SPECIAL_TOKENS}


def test_special_tokens_come_last_in_nanochats_order() -> None:
    assert TOKENIZER.get_vocab_size() == 320
    assert TOKENIZER.get_special_tokens() == set(SPECIAL_TOKENS)
    assert list(IDS.values()) == list(range(311, 320))
    assert SPECIAL_TOKENS[:4] == [
        "<|bos|>",
        "<|user_start|>",
        "<|user_end|>",
        "<|assistant_start|>",
    ]
    assert TOKENIZER.get_bos_token_id() == IDS["<|bos|>"] == 311
    learned = BpeTrainer(num_merges=55, pattern=PATTERN, ties="smallest-ids")
    assert TOKENIZER.tok.merges == learned.train_iter([SAMPLE] * 3).merges


def test_ids_stand_around_texts() -> None:
    plain, rows = TOKENIZER.encode("low 123"), TOKENIZER.encode(["low", ""])
    assert TOKENIZER.decode(plain) == "low 123"
    assert TOKENIZER.encode("low 123", "<|bos|>", 7) == [311, *plain, 7]
    assert TOKENIZER(["low", ""], append="<|user_end|>", num_threads=2) == [
        [*row, IDS["<|user_end|>"]] for row in rows
    ]
    assert TOKENIZER.tok.special_tokens["<|bos|>"] not in TOKENIZER.encode("<|bos|>")
    assert TOKENIZER.id_to_token(311) == "<|bos|>"
    assert TOKENIZER.decode_single_token_bytes(97) == b"a"
    with pytest.raises(ValueError, match="text must be a str or a list of them, not int"):
        TOKENIZER.encode(5)  # type: ignore[call-overload]
    with pytest.raises(KeyError):
        TOKENIZER.encode("a", prepend="no such token")


def test_it_is_saved_and_read_again(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path / "made" / "here")
    assert NanochatTokenizer.from_directory(tmp_path / "made" / "here").tok == TOKENIZER.tok


CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "Be low."},
    {"role": "user", "content": "How low? <|user_end|>"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "So"},
            {"type": "python", "text": "1+1"},
            {"type": "python_output", "text": "2"},
        ],
    },
    {"role": "user", "content": "Thanks"},
    {"role": "assistant", "content": "Low!"},
]


def test_a_conversation_is_rendered_with_its_mask() -> None:
    ids, mask = TOKENIZER.render_conversation({"messages": CHAT})
    assert TOKENIZER.decode(ids) == (
        "<|bos|><|user_start|>Be low.\n\nHow low? <|user_end|><|user_end|>"
        "<|assistant_start|>So<|python_start|>1+1<|python_end|><|output_start|>2<|output_end|>"
        "<|assistant_end|><|user_start|>Thanks<|user_end|><|assistant_start|>Low!<|assistant_end|>"
    )
    trained = [id for id, one in zip(ids, mask, strict=True) if one]
    expected = "So<|python_start|>1+1<|python_end|><|assistant_end|>Low!<|assistant_end|>"
    assert TOKENIZER.decode(trained) == expected
    assert ids.count(IDS["<|user_end|>"]) == 2  # what a user spells is text
    assert TOKENIZER.render_conversation({"messages": CHAT}, max_tokens=5) == (ids[:5], mask[:5])
    start = TOKENIZER.render_for_completion({"messages": CHAT})
    assert ids[: len(start)] == start
    assert start[-1] == IDS["<|assistant_start|>"]


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        (CHAT[3:] + CHAT[3:4] * 2, "message 3 must be from assistant, not user"),
        (CHAT[2:], "message 0 must be from user, not assistant"),
        (CHAT[:1] + CHAT[2:], "a system message must be followed by one from user"),
        ([CHAT[1], {"role": "assistant", "content": [{"type": "x", "text": ""}]}], "type: 'x'"),
    ],
)
def test_a_conversation_out_of_order_is_refused(messages: list[Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        TOKENIZER.render_conversation({"messages": messages})
    with pytest.raises(ValueError, match="the last message must be from assistant"):
        TOKENIZER.render_for_completion({"messages": CHAT[1:2]})
