// The view of a text: its tokens, how many there are, and what each of them is.

import { go } from "./address.js";
import { ask, newest, textValues, told } from "./api.js";
import { copyButtons } from "./copying.js";
import { make, number, plural } from "./dom.js";
import { Flow } from "./flow.js";
import { textInput } from "./input.js";
import { lookBoxes } from "./look.js";
import { bytesOf, chip, hexOf } from "./show.js";
import { state } from "./state.js";

export class TextView {
  constructor(element) {
    this.flow = new Flow("Tokens", {
      point: (at) => told(this.inspect(at)),
      open: (at) => go("tree", this.encoded.ids[at]),
    });
    this.counts = make("dl", { class: "counts" });
    this.status = make("p", { class: "unseen", role: "status" });
    this.inspector = make("div", { class: "inspector", "aria-live": "polite" });
    const hasSpecial = () => Object.keys(state.tokenizer.special_tokens).length > 0;
    const tools = [...lookBoxes(), copyButtons(() => this.encoded)];
    const column = make("div", { class: "column" });
    column.append(
      make("div", { class: "tools" }, make("h2", {}, "Tokens"), ...tools),
      this.counts,
      this.status,
      this.flow.element,
    );
    element.append(
      make("div", { class: "column" }, make("h2", {}, "Text"), textInput("Text", hasSpecial)),
      column,
      this.inspector,
    );
    this.encoded = null;
    this.known = new Map();
    this.update = newest(column, () => this.encode());
    state.addEventListener("text", () => this.visible() && this.update());
    state.addEventListener("tokenizer", () => this.visible() && this.update());
    this.visible = () => !element.hidden;
  }

  show() {
    this.update();
  }

  async encode() {
    const bytes = state.bytes;
    const chosen = state.chosen;
    // What was shown of another text stays until the answer comes, but not that there is nothing.
    if (!this.encoded?.tokens) this.wait();
    const encoded = await ask("encode", { tokenizer: chosen, ...textValues() });
    this.encoded = encoded;
    this.bytes = bytes;
    this.times = new Map();
    for (const id of encoded.ids) this.times.set(id, (this.times.get(id) ?? 0) + 1);
    if (this.tokenizer !== chosen) this.known.clear();
    this.tokenizer = chosen;
    const unknown = state.tokenizers[chosen].unk_id;
    const lost = this.times.get(unknown) ?? 0;
    const rate = encoded.tokens ? (encoded.bytes / encoded.tokens).toFixed(2) : "–";
    this.counts.replaceChildren(
      count("tokens", number(encoded.tokens)),
      count("different", number(this.times.size)),
      count("characters", number(encoded.characters)),
      count("bytes", number(encoded.bytes)),
      count("bytes/token", rate),
      ...(lost ? [count("unknown", number(lost))] : []),
    );
    this.status.textContent = `${plural(encoded.tokens, "token")}, ${rate} bytes per token`;
    this.flow.show(bytes, encoded, { unknown });
    this.inspect(null);
  }

  wait() {
    const names = ["tokens", "different", "characters", "bytes", "bytes/token"];
    this.counts.replaceChildren(...names.map((name) => count(name, "…")));
    this.flow.element.replaceChildren(make("p", { class: "note" }, "Loading…"));
  }

  // Shows what a token is. What the vocabulary says of it comes a moment later.
  async inspect(at) {
    this.inspected = at;
    if (at === null || at === undefined) {
      const hint = "Point at a token, or go to the tokens and use the arrow keys.";
      this.inspector.replaceChildren(make("p", { class: "note" }, hint));
      return;
    }
    const id = this.encoded.ids[at];
    if (!this.known.has(id)) {
      const asked = ask("token", { tokenizer: this.tokenizer, id });
      this.known.set(id, asked);
      asked.catch(() => this.known.delete(id)); // it may be asked again
    }
    const token = await this.known.get(id);
    if (this.inspected !== at) return;
    const [start, end] = [this.flow.start(at), this.encoded.ends[at]];
    const [first, last] = await this.characters(at, start, end);
    if (this.inspected !== at) return;
    const facts = [
      ["id", String(id)],
      ["bytes", hexOf(bytesOf(token.token)) || "none"],
      ["characters", range(first, last)],
      ["bytes of the text", range(start, end)],
      ["in this text", plural(this.times.get(id), "time")],
      ["made by", madeBy(token)],
    ];
    const link = { href: `#tree/${id}` };
    this.inspector.replaceChildren(
      make("p", { class: "inspected" }, chip(token.token), make("a", link, "How it was built")),
      make("dl", {}, ...facts.map(fact)),
    );
  }

  // The characters of the text that a token has bytes of. Where bytes are no text, the server
  // says what a character is.
  async characters(at, start, end) {
    if (state.text !== null) {
      const first = charactersBefore(this.bytes, start + 1) - 1;
      return [first, Math.max(first, charactersBefore(this.bytes, end))];
    }
    if (this.placed?.encoded !== this.encoded) {
      const values = { tokenizer: this.tokenizer, unit: "chars", ...textValues() };
      this.placed = { encoded: this.encoded, answer: ask("encode", values) };
    }
    const { starts, ends } = await this.placed.answer;
    return [starts === null ? (at === 0 ? 0 : ends[at - 1]) : starts[at], ends[at]];
  }
}

// How many characters have started before a byte.
function charactersBefore(bytes, end) {
  let count = 0;
  for (let at = 0; at < end; at++) if ((bytes[at] & 0xc0) !== 0x80) count++;
  return count;
}

// From a start to an end that does not belong to it.
function range(start, end) {
  if (end <= start) return "none";
  return end - start === 1 ? number(start) : `${number(start)} to ${number(end - 1)}`;
}

const fact = ([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value));

const count = (name, value) => make("div", {}, make("dd", {}, value), make("dt", {}, name));

export function madeBy(token) {
  if (token.how === "special") return "no merge: a special token";
  if (token.how === "listed") return "no merge: the vocabulary lists it";
  if (token.how === "untold") return "steps that this page does not show";
  if (token.how === "unreachable") return "no merge that can reach it";
  if (token.how === "first") return "no merge: what merging starts from";
  const times = token.count === null ? "" : `, chosen at count ${number(token.count)}`;
  return `merge of rank ${number(token.rank)}${times}`;
}
