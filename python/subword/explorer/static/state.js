// What the views share: the tokenizers, the one that is chosen, the text, and how tokens look.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const PATTERNS = "gpt2 cl100k o200k llama3 qwen2 deepseek-v3 whitespace none".split(" ");

export const FIRST_TEXT = `Tokens are not words. The lowest, the newest and the widest end alike,
and a tokenizer notices; antidisestablishmentarianism it has to spell.

Naïve café, Привет мир, 你好世界, مرحبا, 👩‍👩‍👧‍👦 and 👍🏽 cost more than they seem to.

def lower(word):
\treturn word.lower()  # 12345678
`;

// Events: "tokenizers" one was opened, "tokenizer" another is chosen, "text" another text,
// "restored" all of these, by the address; "place" another view is wanted; "look" tokens look different.
class State extends EventTarget {
  tokenizers = [];
  limits = {};
  chosen = 0;
  special = "text";
  text = FIRST_TEXT; // null where the bytes are no text
  bytes = encoder.encode(FIRST_TEXT);
  fileName = null;
  look = { ids: false, spaces: false };

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

  // A tokenizer that has been opened.
  add(number, about) {
    this.tokenizers[number] = about;
    this.tell("tokenizers");
    this.choose(number);
  }

  setText(text) {
    this.put({ text });
    this.tell("text");
  }

  // Bytes of a file: as text where they are text.
  setBytes(bytes, fileName) {
    this.put({ bytes, fileName });
    this.tell("text");
  }

  setSpecial(special) {
    this.special = special;
    this.tell("text");
  }

  setLook(name, value) {
    this.look = { ...this.look, [name]: value };
    this.tell("look");
  }

  // What an address says.
  restore({ chosen, special, text }) {
    Object.assign(this, { chosen, special });
    if (text.bytes === undefined ? text.text !== this.text : text.bytes !== this.bytes) {
      this.put(text);
    }
    this.tell("restored");
  }

  put({ text = null, bytes = null, fileName = null }) {
    this.bytes = bytes ?? encoder.encode(text);
    this.fileName = fileName;
    try {
      this.text = text ?? decoder.decode(bytes);
    } catch {
      this.text = null;
    }
  }
}

export const state = new State();
