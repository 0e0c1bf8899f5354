// What the views share: the tokenizers, the one that is chosen, and the text.

const encoder = new TextEncoder();

export const FIRST_TEXT = `Tokens are not words. The lowest, the newest and the widest end alike,
and a tokenizer notices; antidisestablishmentarianism it has to spell.

Naïve café, Привет мир, 你好世界, مرحبا, 👩‍👩‍👧‍👦 and 👍🏽 cost more than they seem to.

def lower(word):
\treturn word.lower()  # 12345678
`;

class State extends EventTarget {
  tokenizers = [];
  limits = {};
  chosen = 0;
  special = "text";
  text = FIRST_TEXT; // null where the bytes are no text
  bytes = encoder.encode(FIRST_TEXT);
  fileName = null;

  get tokenizer() {
    return this.tokenizers[this.chosen];
  }

  tell(what) {
    this.dispatchEvent(new Event(what));
  }

  choose(number) {
    this.chosen = number;
    this.tell("tokenizer");
  }

  setText(text) {
    this.text = text;
    this.bytes = encoder.encode(text);
    this.fileName = null;
    this.tell("text");
  }

  // Bytes of a file: as text where they are text.
  setBytes(bytes, name) {
    this.bytes = bytes;
    this.fileName = name;
    try {
      this.text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      this.text = null;
    }
    this.tell("text");
  }

  setSpecial(special) {
    this.special = special;
    this.tell("text");
  }
}

export const state = new State();
