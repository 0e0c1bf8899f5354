// The view of all tokens: searched, filtered, sorted.

import { go } from "./address.js";
import { ask, newest, textValues } from "./api.js";
import { button, field, later, make, number, plural } from "./dom.js";
import { VirtualList } from "./list.js";
import { bytesOf, chip, hexOf } from "./show.js";
import { state } from "./state.js";

const KINDS = {
  special: ["special", "Tokens that bypass merging"],
  unreachable: ["unreachable by merges", "Tokens that merging never gives, whatever the text"],
  unused: ["not in the text", "Tokens that the text of the first view does not use"],
  "ends-inside": ["ending inside a character", "The last bytes are the start of a character"],
  "starts-inside": ["starting inside a character", "The first bytes are the end of a character"],
};

const COLUMNS = [
  ["id", "Id", "number"],
  ["token", "Token", "token-cell"],
  ["length", "Bytes", "number"],
  [null, "Script", "script-cell"],
  [null, "Rank", "number rank-cell"],
  ["count", "In the text", "number"],
];

export class VocabularyView {
  constructor(element) {
    // First what the text is made of; without a text, what is longest.
    this.sort = state.bytes.length ? "count" : "length";
    this.order = "down";
    const ask = () => this.update();
    this.search = make("input", {
      type: "search",
      class: "search",
      placeholder: "low   #500   #500-600   0xE4BD",
      "aria-label": "Search: text, #id, or bytes as 0x",
      spellcheck: "false",
      oninput: later(80, ask),
    });
    const all = make("option", { value: "" }, "all");
    this.script = make("select", { onchange: ask, disabled: true }, all);
    this.shortest = this.length("1");
    this.longest = this.length("any");
    this.kinds = Object.fromEntries(
      Object.keys(KINDS).map((kind) => [kind, make("input", { type: "checkbox", onchange: ask })]),
    );
    this.kindCounts = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, make("small")]));
    this.status = make("p", { class: "note", role: "status" }, "Loading…");
    this.head = make("div", { class: "row head", role: "row" });
    this.list = new VirtualList("Tokens", {
      head: this.head,
      fetch: (offset, limit) => this.window(offset, limit),
      cells: (row) => this.cells(row),
      open: (row) => go("tree", row.id),
    });
    const choices = make(
      "fieldset",
      { class: "choices" },
      make("legend", {}, "Only tokens"),
      ...Object.entries(KINDS).map(([kind, [name, title]]) =>
        make("label", { class: "check", title }, this.kinds[kind], name, this.kindCounts[kind]),
      ),
    );
    element.append(
      make("h2", {}, "Vocabulary"),
      make(
        "div",
        { class: "filters" },
        this.search,
        field("Script", this.script),
        field("Bytes from", this.shortest),
        field("to", this.longest),
      ),
      choices,
      this.status,
      make("div", { class: "table-list" }, this.list.element),
    );
    this.drawHead();
    this.update = newest(this.list.element.parentElement, async () => {
      await this.list.reset();
      this.total(); // takes longer, and nobody waits for it
    });
    this.total = newest(choices, () => this.totals());
    this.visible = () => !element.hidden;
    state.addEventListener("tokenizer", () => {
      this.script.value = "";
      if (this.visible()) this.update();
    });
  }

  length(placeholder) {
    const input = make("input", { type: "number", min: 0, placeholder });
    input.addEventListener("input", later(80, () => this.update()));
    return input;
  }

  show() {
    if (!this.isAsked()) this.update();
  }

  // Whether the tokens of this tokenizer and text are those that are shown.
  isAsked() {
    const now = [state.chosen, state.bytes, state.special];
    return now.every((value, at) => value === this.asked?.[at]);
  }

  async window(offset, limit) {
    if (!this.isAsked()) this.asked = [state.chosen, state.bytes, state.special];
    const values = {
      tokenizer: state.chosen,
      search: this.search.value,
      script: this.script.value,
      only: Object.keys(KINDS).filter((kind) => this.kinds[kind].checked),
      min_length: Number(this.shortest.value) || 0,
      sort: this.sort,
      order: this.order,
      offset,
      limit,
      ...textValues(),
    };
    if (this.longest.value) values.max_length = Number(this.longest.value);
    const answer = await ask("vocabulary", values);
    const all = plural(answer.vocab_size, "token");
    const isAll = answer.total === answer.vocab_size;
    this.status.textContent = isAll ? all : `${number(answer.total)} of ${all}`;
    return answer;
  }

  // How many tokens there are of each kind and script.
  async totals() {
    const asked = this.asked;
    if (asked === this.totalled) return;
    if (asked[0] !== this.totalled?.[0]) {
      this.script.disabled = true;
      for (const kind of Object.keys(KINDS)) this.kindCounts[kind].textContent = "…";
    }
    const { scripts, kinds } = await ask("kinds", { tokenizer: asked[0], ...textValues() });
    this.totalled = asked;
    this.script.disabled = false;
    for (const kind of Object.keys(KINDS)) this.kindCounts[kind].textContent = number(kinds[kind]);
    const chosen = this.script.value;
    this.script.replaceChildren(
      make("option", { value: "" }, "all"),
      ...Object.entries(scripts).map(([name, count]) =>
        make("option", { value: name }, `${name} (${number(count)})`),
      ),
    );
    this.script.value = chosen in scripts ? chosen : "";
  }

  cells(row) {
    const rank = row.rank === null ? "" : number(row.rank);
    const tags = row.kinds.map((kind) => make("span", { class: "tag" }, KINDS[kind][0]));
    const bytes = hexOf(bytesOf(row.token));
    const code = make("code", { title: bytes }, bytes);
    return [
      cell("number", String(row.id)),
      cell("token-cell", chip(row.token, { id: row.id }), code, ...tags),
      cell("number", number(row.length)),
      cell("script-cell", row.script),
      cell("number rank-cell", rank),
      cell("number", row.count ? number(row.count) : "–"),
    ];
  }

  drawHead() {
    this.head.replaceChildren(
      ...COLUMNS.map(([sort, name, style]) => {
        const here = sort !== null && sort === this.sort;
        const arrow = here ? (this.order === "up" ? " ↑" : " ↓") : "";
        const inner = sort === null ? name : button(name + arrow, () => this.sortBy(sort));
        const order = here ? (this.order === "up" ? "ascending" : "descending") : null;
        return make("span", { role: "columnheader", class: style, "aria-sort": order }, inner);
      }),
    );
  }

  sortBy(sort) {
    const fresh = sort !== this.sort;
    // The longest and the most frequent are what one looks for first.
    const first = sort === "length" || sort === "count" ? "down" : "up";
    this.order = fresh ? first : this.order === "up" ? "down" : "up";
    this.sort = sort;
    this.drawHead();
    [...this.head.children][COLUMNS.findIndex(([one]) => one === sort)].firstChild.focus();
    this.update();
  }
}

const cell = (style, ...children) => make("span", { role: "gridcell", class: style }, ...children);
