// The view of several tokenizers on the same text: side by side, and in a table of languages.

import { ask, newest, textValues } from "./api.js";
import { bar, cell, check, make, number, table } from "./dom.js";
import { Flow } from "./flow.js";
import { textInput } from "./input.js";
import { lookBoxes } from "./look.js";
import { state } from "./state.js";

const MOST = 6;
const FEWEST =
  "Tokens for two sentences, and bytes per token. Fewer tokens are better; the fewest are bold.";

export class CompareView {
  constructor(element) {
    this.chosen = new Set(state.tokenizers.slice(0, 2).keys());
    this.flows = new Map();
    this.columns = make("div", { class: "columns" });
    this.status = make("p", { class: "note", role: "status" });
    const region = { tabindex: 0, role: "region", "aria-label": "Languages" };
    this.table = make("div", { class: "wide", ...region });
    this.boxes = make("fieldset", { class: "choices" });
    this.hint = make(
      "p",
      { class: "note" },
      "One tokenizer is loaded. Open another one above, or start with several: subword explore A B",
    );
    const hasSpecial = () =>
      state.tokenizers.some((one) => Object.keys(one.special_tokens).length > 0);
    element.append(
      make("h2", {}, "The same text"),
      textInput("Text to compare", hasSpecial),
      this.boxes,
      this.hint,
      make("div", { class: "tools" }, ...lookBoxes()),
      this.status,
      this.columns,
      make("h2", {}, "The same sentences in several languages"),
      make("p", { class: "note" }, FEWEST),
      this.table,
    );
    this.drawBoxes();
    this.update = newest(element, () => this.compare());
    this.visible = () => !element.hidden;
    state.addEventListener("text", () => this.visible() && this.update());
    state.addEventListener("tokenizers", () => {
      if (this.chosen.size < MOST) this.chosen.add(state.tokenizers.length - 1);
      this.drawBoxes();
      if (this.visible()) this.update();
    });
  }

  drawBoxes() {
    const boxes = state.tokenizers.map((one, at) =>
      check(one.name, this.chosen.has(at), (isChosen) => {
        if (isChosen) this.chosen.add(at);
        else this.chosen.delete(at);
        this.update();
      }),
    );
    this.boxes.replaceChildren(make("legend", {}, "Tokenizers"), ...boxes);
    this.hint.hidden = boxes.length > 1;
  }

  show() {
    this.update();
  }

  async compare() {
    const numbers = [...this.chosen].sort((a, b) => a - b).slice(0, MOST);
    const bytes = state.bytes;
    if (!this.status.textContent) this.status.textContent = "Loading…";
    const { compared } = await ask("compare", { tokenizers: numbers, ...textValues() });
    this.columns.replaceChildren();
    this.columns.dataset.count = numbers.length;
    const fewest = Math.min(...compared.map((one) => one.tokens));
    for (const one of compared) {
      const { name, unk_id: unknown } = state.tokenizers[one.tokenizer];
      const flow = this.flow(one.tokenizer, name);
      const rate = one.tokens ? (one.bytes / one.tokens).toFixed(2) : "–";
      const more = one.tokens > fewest ? `, ${percent(one.tokens / fewest - 1)} more` : "";
      const facts = `${number(one.tokens)} tokens${more}, ${rate} bytes per token`;
      const note = make("p", { class: "note" }, facts);
      const column = make("article", { class: "column" }, make("h3", {}, name), note, flow.element);
      this.columns.append(column);
      flow.show(bytes, one, { different: one.different, unknown });
    }
    const different = compared.map(
      (one) => `${number(one.different.length)} in ${state.tokenizers[one.tokenizer].name}`,
    );
    this.status.textContent =
      compared.length < 2
        ? "Choose two tokenizers or more."
        : `Tokens that all have in common have no colour. Different: ${different.join(", ")}.`;
    await this.languages(numbers);
  }

  flow(at, name) {
    if (!this.flows.has(at)) this.flows.set(at, new Flow(`Tokens by ${name}`));
    return this.flows.get(at);
  }

  async languages(numbers) {
    if (numbers.length === 0) {
      this.table.replaceChildren();
      return;
    }
    const values = { special: state.special, tokenizers: numbers };
    const { samples } = await ask("samples", values);
    const most = Math.max(1, ...samples.flatMap((row) => row.tokens));
    const names = numbers.map((at) => [state.tokenizers[at].name]);
    const rows = samples.map((row) => {
      // Text that is lost is not cheap.
      const best = Math.min(...row.tokens.filter((_, at) => !row.unknown[at]));
      const cells = row.tokens.map((tokens, at) => {
        const unknown = row.unknown[at];
        const value = make(tokens === best && !unknown ? "strong" : "span", {}, number(tokens));
        const rate = make("small", {}, ` ${(row.bytes / tokens).toFixed(2)}`);
        const lost = unknown ? [make("span", { class: "tag" }, `${number(unknown)} unknown`)] : [];
        const inner = make("span", { class: "value" }, value, rate, " ", ...lost);
        return cell(null, make("div", { class: "barred" }, bar(tokens / most), inner));
      });
      const name = make("th", { scope: "row", title: row.text }, row.language);
      return make("tr", {}, name, cell("number", number(row.bytes)), ...cells);
    });
    this.table.replaceChildren(table([["Language"], ["Bytes", "number"], ...names], rows));
  }
}

const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`;
