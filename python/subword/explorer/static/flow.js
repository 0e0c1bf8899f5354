// Tokens as running text, in alternating colours: of a megabyte only what is on the screen.
//
// The tokens are cut into blocks of some hundred, at the end of a line where there is one. A block
// that is not near the screen is an empty box of about its height; the browser tells when one comes
// near, and it is filled. So the number of elements depends on the screen, not on the text.
//
// A token is one box, which no line breaks: a space at its start stays with it. Only a new line
// within a token makes it two boxes.

import { make, number } from "./dom.js";
import { nodes } from "./show.js";
import { state } from "./state.js";

const FEWEST = 80;
const MOST = 240;
const COLOURS = 5;
const NEAR = "600px";
const LONGEST = 2000; // bytes of one token that are shown
const LONGEST_WORD = 24; // bytes that stay together on a line

// How many tokens a key goes on.
const STEPS = {
  ArrowRight: 1,
  ArrowLeft: -1,
  ArrowDown: 10,
  ArrowUp: -10,
  PageDown: 100,
  PageUp: -100,
};

let flows = 0;

export class Flow {
  // `point(index)` is told which token is looked at, or null; `open(index)` which one is opened.
  constructor(label, { point = () => {}, open = () => {} } = {}) {
    this.name = `flow-${++flows}`;
    this.point = point;
    this.element = make("div", {
      class: "flow",
      dir: "ltr",
      tabindex: 0,
      role: "listbox",
      "aria-label": label,
      onkeydown: (event) => this.key(event, open),
      onclick: (event) => this.clicked(event),
      onpointerover: (event) => this.pointed(event),
      onpointerleave: () => this.point(this.active),
      // Boxes that are filled change their height, and what is told about a token takes some of ours:
      // the token that the keyboard has gone to is kept on the screen, until the mouse scrolls.
      onwheel: () => (this.follows = false),
      onpointerdown: () => (this.follows = false),
    });
    this.observer = new IntersectionObserver((seen) => this.seen(seen), {
      root: this.element,
      rootMargin: NEAR,
    });
    new ResizeObserver(() => this.follow()).observe(this.element);
    state.addEventListener("look", () => this.shown && this.show(...this.shown));
    this.ids = [];
    this.clear();
  }

  clear() {
    this.observer.disconnect();
    this.active = null;
    this.follows = false;
    this.blocks = [];
    this.element.removeAttribute("aria-activedescendant");
  }

  // Shows tokens: the bytes of the text, and of each token its id, its start and its end. Where
  // tokenizers are compared, `different` are the places of those that have a colour; `unknown` is
  // the id of what stands for text that has no tokens.
  show(bytes, { ids, starts, ends }, { different = null, unknown = null } = {}) {
    this.shown = [bytes, { ids, starts, ends }, { different, unknown }];
    const top = this.element.scrollTop;
    this.clear();
    this.bytes = bytes;
    this.ids = ids;
    this.starts = starts;
    this.ends = ends;
    this.unknown = unknown;
    this.different = different === null ? null : new Set(different);
    const width = Math.max(20, Math.floor(this.element.clientWidth / 9));
    let first = 0;
    let lines = 1;
    for (let at = 0; at < ids.length; at++) {
      const newline = bytes[ends[at] - 1] === 10;
      lines += newline ? 1 : 0;
      const size = at + 1 - first;
      if ((newline && size >= FEWEST) || size >= MOST || at + 1 === ids.length) {
        const signs = state.look.ids ? 7 * size : ends[at] - this.start(first);
        const rows = (state.look.ids ? 1 : lines) + Math.floor(signs / width);
        this.blocks.push(this.block(first, at + 1, rows));
        first = at + 1;
        lines = 0;
      }
    }
    this.blockOf = new Map(this.blocks.map((block) => [block.element, block]));
    this.element.replaceChildren(...this.blockOf.keys());
    const rest = ids.length ? ends[ids.length - 1] : 0;
    if (rest < bytes.length && !state.look.ids) {
      this.element.append(this.gap(rest, bytes.length));
    }
    if (bytes.length === 0) this.element.append(make("p", { class: "note" }, "No tokens."));
    for (const block of this.blocks) this.observer.observe(block.element);
    this.element.scrollTop = top;
  }

  start(at) {
    return this.starts === null ? (at === 0 ? 0 : this.ends[at - 1]) : this.starts[at];
  }

  block(first, last, rows) {
    const element = make("div", { class: "block", role: "presentation" });
    element.style.height = `${rows * 1.9}em`;
    return { element, first, last, filled: false };
  }

  seen(entries) {
    for (const entry of entries) {
      const block = this.blockOf.get(entry.target);
      if (block === undefined) continue; // of a text that is no longer shown
      if (entry.isIntersecting) this.fill(block);
      else this.empty(block);
    }
    this.follow();
  }

  follow() {
    if (this.follows) this.marked()?.scrollIntoView({ block: "nearest" });
  }

  fill(block) {
    if (block.filled) return;
    block.filled = true;
    const made = [];
    let word = null;
    for (let at = block.first; at < block.last; at++) {
      const start = this.start(at);
      const before = at === 0 ? 0 : this.ends[at - 1];
      if (start > before && !state.look.ids) made.push(this.gap(before, start));
      const token = this.token(at, start);
      if (word === null || !this.isJoined(at, start, before, word.start)) {
        word = { start, element: make("span", { class: "word", role: "presentation" }) };
        made.push(word.element);
      }
      word.element.append(token);
      if (state.look.ids) made.push(" ");
      // The line ends after the token, not within it: its box has no part on the next line.
      if (token.lastChild?.data === "\n") {
        token.lastChild.remove();
        if (at + 1 < block.last) made.push("\n");
        word = null;
      }
    }
    block.element.replaceChildren(...made);
    block.element.style.height = "";
  }

  // Whether a token stays on the line of the one before it: within a word that is not too long, and
  // so that no line starts with a comma or is a line end alone.
  isJoined(at, start, before, wordStart) {
    if (state.look.ids || start > before || this.ends[at] - wordStart > LONGEST_WORD) return false;
    const byte = this.bytes[start];
    return (byte > 0x20 && byte < 0x80) || byte === 0x0a || byte === 0x0d;
  }

  empty(block) {
    if (!block.filled || (this.active >= block.first && this.active < block.last)) return;
    block.filled = false;
    block.element.style.height = `${block.element.offsetHeight}px`;
    block.element.replaceChildren();
  }

  // Bytes of the text; of very many the first.
  nodes(start, end) {
    const { spaces } = state.look;
    if (end - start <= LONGEST) return nodes(this.bytes.subarray(start, end), { spaces });
    let cut = start + LONGEST;
    while (cut > start && (this.bytes[cut] & 0xc0) === 0x80) cut--;
    const rest = make("span", { class: "note" }, ` … and ${number(end - cut)} more bytes`);
    return [...nodes(this.bytes.subarray(start, cut), { spaces }), rest];
  }

  // What no token stands for.
  gap(start, end) {
    return make("span", { class: "gap" }, ...this.nodes(start, end));
  }

  token(at, start) {
    const same = this.different !== null && !this.different.has(at);
    const lost = this.unknown !== null && this.ids[at] === this.unknown;
    const text = state.look.ids ? [String(this.ids[at])] : this.nodes(start, this.ends[at]);
    return make(
      "span",
      {
        class: `token ${same ? "same" : `c${at % COLOURS}`}${lost ? " unknown" : ""}`,
        id: `${this.name}-${at}`,
        role: "option",
        "aria-selected": at === this.active ? "true" : null,
      },
      // Two tokens may share the bytes of one character of the text: the second has none.
      ...boxes(text.length ? text : [make("span", { class: "raw" }, "∅")]),
    );
  }

  indexOf(target) {
    const token = target instanceof Element ? target.closest(".token") : null;
    return token === null ? null : Number(token.id.slice(this.name.length + 1));
  }

  pointed(event) {
    const at = this.indexOf(event.target);
    if (at !== null) this.point(at);
  }

  clicked(event) {
    const at = this.indexOf(event.target);
    if (at !== null) this.activate(at);
  }

  // Makes a token the one that is looked at, and scrolls to it.
  activate(at) {
    this.marked()?.removeAttribute("aria-selected");
    this.active = at;
    const block = this.blocks.find((one) => at >= one.first && at < one.last);
    this.fill(block);
    const token = this.marked();
    token.setAttribute("aria-selected", "true");
    token.setAttribute("aria-posinset", at + 1);
    token.setAttribute("aria-setsize", this.ids.length);
    this.follows = true;
    this.follow();
    this.element.setAttribute("aria-activedescendant", `${this.name}-${at}`);
    this.point(at);
  }

  marked() {
    return document.getElementById(`${this.name}-${this.active}`);
  }

  key(event, open) {
    const last = this.ids.length - 1;
    if (last < 0) return;
    const now = this.active;
    if (event.key in STEPS) {
      this.activate(now === null ? 0 : Math.min(last, Math.max(0, now + STEPS[event.key])));
    } else if (event.key === "Home") this.activate(0);
    else if (event.key === "End") this.activate(last);
    else if (event.key === "Enter" && now !== null) open(now);
    else return;
    event.preventDefault();
  }
}

// The nodes of a token in boxes, one to a line.
function boxes(nodes) {
  const made = [];
  let box = null;
  for (const node of nodes) {
    if (node === "\n") {
      made.push(node);
      box = null;
      continue;
    }
    if (box === null) made.push((box = make("span", { class: "box" })));
    box.append(node);
  }
  return made;
}
