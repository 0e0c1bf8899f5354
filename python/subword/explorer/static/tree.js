// The view of one token: the tree of its merges, and the same as steps; how it is found by its text.

import { go, setArgument, toBase64 } from "./address.js";
import { ask, newest, tell, textValues, told } from "./api.js";
import { button, cell, field, make, number, plural, table } from "./dom.js";
import { drawTree } from "./picture.js";
import { bytesOf, chip } from "./show.js";
import { state } from "./state.js";
import { madeBy } from "./text.js";

const WIDEST = 200; // first tokens in a picture
const LISTED =
  "Nothing is merged here: of all tokens that a text goes on with, the longest is taken.";
const UNTOLD = "How this tokenizer comes to its tokens is not shown here.";

export class TreeView {
  constructor(element) {
    this.id = null;
    this.input = make("input", {
      type: "search",
      class: "search",
      placeholder: "low   #500   0xE4BD",
      spellcheck: "false",
      onkeydown: (event) => event.key === "Enter" && told(this.find()),
    });
    this.step = make("input", {
      type: "range",
      min: 0,
      "aria-label": "Step",
      oninput: () => this.drawStep(Number(this.step.value)),
    });
    this.back = button("Back", () => this.move(-1));
    this.forward = button("Forward", () => this.move(1));
    this.title = make("h2", {}, "Merge tree");
    this.found = make("p", { class: "found", role: "status" });
    this.how = make("p", { class: "note" }, "Loading…");
    const region = { tabindex: 0, role: "region", hidden: true };
    this.picture = make("div", { ...region, class: "picture", "aria-label": "Tree" });
    const player = [this.back, this.step, this.forward];
    this.player = make("div", { class: "player", hidden: true }, ...player);
    this.status = make("p", { class: "step-status", role: "status" });
    this.steps = make("div", { class: "wide" });
    this.shorter = make("div");
    this.larger = make("div");
    const choice = [field("Token", this.input), button("Show", () => told(this.find()))];
    element.append(
      make("div", { class: "title-line" }, this.title, make("div", { class: "filters" }, ...choice)),
      this.found,
      this.how,
      this.picture,
      this.player,
      this.status,
      this.steps,
      this.shorter,
      this.larger,
    );
    this.update = newest(element, () => this.ask());
    this.updateLarger = newest(this.larger, () => this.askLarger());
    state.addEventListener("tokenizer", () => {
      if (!element.hidden) this.show("");
    });
  }

  // Shows the token with an id; without one that which was shown last, in another tokenizer the one
  // with the same bytes, and if there is none a good one.
  show(argument) {
    const isSame = this.tokenizer === state.chosen;
    if (/^\d+$/.test(argument)) this.id = Number(argument);
    else if (!isSame) this.id = null;
    if (!isSame || !this.foundIds?.has(this.id)) this.found.replaceChildren();
    this.tokenizer = state.chosen;
    this.update();
  }

  // Looks for what was typed: an id, bytes, or text.
  async find() {
    const asked = this.input.value;
    if (asked === "") return;
    const id = /^#(\d+)$/.exec(asked);
    if (id !== null) {
      this.open(Number(id[1]));
      return;
    }
    const hex = /^0x((?:[0-9a-f]{2})+)$/i.exec(asked);
    const values = hex === null ? { text: asked } : { base64: toBase64(bytesOf(hex[1])) };
    const { exact, tokens } = await ask("find", { tokenizer: state.chosen, ...values });
    tell(null);
    const shown = exact.length ? exact : tokens;
    if (shown.length === 0) return;
    this.foundIds = new Set(shown.map((one) => one.id));
    const chips = shown.map((one) => chip(one.token, { id: one.id }));
    const what = exact.length ? "Tokens with this text:" : "No token by itself, but these:";
    this.found.replaceChildren(...(shown.length > 1 || !exact.length ? [what, ...chips] : []));
    const longest = shown.reduce((a, b) => (b.token.length > a.token.length ? b : a));
    this.open(exact.length ? shown[0].id : longest.id);
  }

  open(id) {
    if (id === this.id) this.update();
    else go("tree", id);
  }

  async ask() {
    const tokenizer = state.chosen;
    if (this.id === null) this.id = await this.sameBytes(tokenizer);
    const values = this.id === null ? textValues() : { id: this.id };
    const token = await ask("token", { tokenizer, ...values }).catch((error) => {
      if (this.token === undefined) this.how.textContent = "";
      throw error;
    });
    if (tokenizer !== state.chosen) return; // another question is on its way
    if (this.id !== null && this.id !== token.id) return;
    this.id = token.id;
    this.token = token;
    setArgument(token.id);
    this.title.replaceChildren("Token ", chip(token.token, { more: "big" }));
    const made = madeBy(token);
    const size = plural(token.token.length / 2, "byte");
    const others = { listed: LISTED, untold: UNTOLD };
    const more = others[token.how] ?? `${made[0].toUpperCase()}${made.slice(1)}.`;
    this.how.textContent = `Id ${token.id}, ${size}. ${more}`;
    this.player.hidden = token.steps.length === 0;
    this.step.max = token.steps.length;
    this.drawTable();
    fill(this.shorter, "It goes before these shorter tokens", token.shorter);
    this.larger.replaceChildren();
    this.picture.hidden = token.steps.length === 0 || token.first.length > WIDEST;
    if (!this.picture.hidden) this.picture.replaceChildren(drawTree(token));
    this.drawStep(token.steps.length);
    this.updateLarger();
  }

  // The id of the token that was shown, in another tokenizer; null if it has none.
  async sameBytes(tokenizer) {
    if (this.token === undefined || this.token.token === "") return null;
    const values = { tokenizer, base64: toBase64(bytesOf(this.token.token)) };
    const { exact } = await ask("find", values).catch(() => ({ exact: [] }));
    return exact.find((one) => one.token === this.token.token)?.id ?? null;
  }

  // The tokens that this one is a part of, which the server may have to look for.
  async askLarger() {
    const { id, how } = this.token;
    const heading = make("h3", {}, "Looking for larger tokens…");
    this.larger.replaceChildren(heading);
    const { total, larger } = await ask("larger", { tokenizer: state.chosen, id });
    if (id !== this.token.id) return;
    const what = how === "listed" || how === "untold" ? "Longer tokens that start with it" : "Larger tokens with it";
    fill(this.larger, `${what}: ${number(total)}`, larger);
  }

  move(by) {
    this.drawStep(Math.min(this.token.steps.length, Math.max(0, Number(this.step.value) + by)));
  }

  // Shows how far merging is: later merges are pale.
  drawStep(step) {
    const last = this.token.steps.length;
    this.step.value = step;
    this.back.disabled = step === 0;
    this.forward.disabled = step === last;
    for (const part of this.picture.querySelectorAll("[data-step]")) {
      const made = Number(part.dataset.step);
      part.classList.toggle("later", made > step);
      part.classList.toggle("now", made === step && step > 0);
    }
    [...this.steps.querySelectorAll("tbody tr")].forEach((row, at) => {
      row.classList.toggle("later", at > step);
      row.setAttribute("aria-current", at === step ? "step" : "false");
    });
    if (step === 0) {
      const first = `Before any merge: ${plural(this.token.first.length, "first token")}.`;
      this.status.textContent = last ? first : "";
      return;
    }
    const { rank, count, left, right } = this.token.steps[step - 1];
    const times = count === null ? "." : `. Its count was ${number(count)} when it was chosen.`;
    const what = `Step ${step} of ${last}: rank ${number(rank)} merges `;
    this.status.replaceChildren(what, chip(left), " and ", chip(right), times);
  }

  // The steps as a table: in each row the tokens after a merge, and a link to the one that it made.
  drawTable() {
    const { first, steps } = this.token;
    // A file does not hold the counts of its training.
    const isCounted = steps.some((step) => step.count !== null);
    const facts = (rank, count) => (isCounted ? [rank, count] : [rank]);
    const rows = [this.row(0, facts("", ""), first, null)];
    let tokens = first;
    for (const [order, step] of steps.entries()) {
      tokens = [...tokens.slice(0, step.at), step.token, ...tokens.slice(step.at + 2)];
      const count = step.count === null ? "not known" : number(step.count);
      rows.push(this.row(order + 1, facts(number(step.rank), count), tokens, step));
    }
    const names = ["Step", ...facts("Rank", "Count")].map((name) => [name, "number"]);
    const columns = [...names, ["Tokens"]];
    this.steps.replaceChildren(...(steps.length ? [table(columns, rows, "steps")] : []));
  }

  row(at, facts, tokens, step) {
    const chips = tokens.map((token, place) =>
      place === step?.at ? chip(token, { id: step.id, more: "made" }) : chip(token),
    );
    return make(
      "tr",
      { onclick: () => this.drawStep(at) },
      cell("number", String(at)),
      ...facts.map((fact) => cell("number", fact)),
      cell("chips", ...chips),
    );
  }
}

// A title and tokens below it, or nothing.
function fill(element, title, tokens) {
  const chips = tokens.map((one) => chip(one.token, { id: one.id }));
  const parts = [make("h3", {}, title), make("div", { class: "chips" }, ...chips)];
  element.replaceChildren(...(chips.length ? parts : []));
}
