// A list of any length: rows of one height, of which those on the screen exist.
//
// `fetch(offset, limit)` gives the rows of a window and how many there are in all. Windows that
// were fetched are kept until the question changes.

import { told } from "./api.js";
import { make } from "./dom.js";

const PAGE = 200; // rows to a window
const HEIGHT = 34; // pixels to a row and to the head above them, as in the style sheet
const AROUND = 8; // rows above and below the screen

let lists = 0;

export class VirtualList {
  // `cells(row)` are the cells of a row, `open(row)` is told which one is opened.
  constructor(label, { head, fetch, cells, open }) {
    this.name = `list-${++lists}`;
    this.fetch = fetch;
    this.cells = cells;
    this.open = open;
    this.total = 0;
    this.space = make("div", { class: "space", role: "rowgroup" });
    this.message = make("p", { class: "note list-message" }, "Loading…");
    this.element = make(
      "div",
      {
        class: "list",
        role: "grid",
        tabindex: 0,
        "aria-label": label,
        onscroll: () => this.draw(),
        onkeydown: (event) => this.key(event),
      },
      head,
      this.space,
      this.message,
    );
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  // Asks anew: from the top, unless the same question is asked of another text.
  async reset() {
    this.pages = new Map();
    this.active = null;
    this.element.scrollTop = 0;
    await this.page(0);
    this.draw();
  }

  async page(number) {
    if (this.pages.has(number)) return;
    const pages = this.pages;
    pages.set(number, null);
    const answer = await this.fetch(number * PAGE, PAGE);
    if (pages !== this.pages) return; // the question has changed meanwhile
    pages.set(number, answer.rows);
    this.total = answer.total;
    this.space.style.height = `${this.total * HEIGHT}px`;
    this.element.setAttribute("aria-rowcount", this.total);
    this.message.textContent = "No token matches.";
    this.message.hidden = this.total > 0;
  }

  // Puts the rows on the screen, and asks for those that are not there yet.
  draw() {
    if (this.pages === undefined) return;
    const top = Math.floor(this.element.scrollTop / HEIGHT);
    const visible = Math.ceil(this.element.clientHeight / HEIGHT);
    const first = Math.max(0, top - AROUND);
    const last = Math.min(this.total, top + visible + AROUND);
    const rows = [];
    for (let at = first; at < last; at++) rows.push(this.row(at));
    this.space.replaceChildren(...rows);
    for (let page = Math.floor(first / PAGE); page * PAGE < last; page++) {
      if (!this.pages.has(page)) told(this.page(page)).then((good) => good && this.draw());
    }
  }

  row(at) {
    const row = this.rowAt(at);
    const element = make(
      "div",
      {
        class: "row",
        role: "row",
        id: `${this.name}-${at}`,
        "aria-rowindex": at + 1,
        "aria-selected": at === this.active ? "true" : "false",
        onclick: () => this.activate(at),
        ondblclick: () => row && this.open(row),
      },
      ...(row ? this.cells(row) : [make("span", { role: "gridcell", class: "note" }, "…")]),
    );
    element.style.top = `${at * HEIGHT}px`;
    return element;
  }

  rowAt(at) {
    return this.pages.get(Math.floor(at / PAGE))?.[at % PAGE] ?? null;
  }

  activate(at) {
    this.active = at;
    const { scrollTop, clientHeight } = this.element;
    const below = (at + 2) * HEIGHT - clientHeight;
    if (at * HEIGHT < scrollTop) this.element.scrollTop = at * HEIGHT;
    else if (below > scrollTop) this.element.scrollTop = below;
    this.draw();
    this.element.setAttribute("aria-activedescendant", `${this.name}-${at}`);
  }

  key(event) {
    if (this.total === 0 || event.target !== this.element) return;
    const now = this.active ?? -1;
    const screen = Math.max(1, Math.floor(this.element.clientHeight / HEIGHT) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: screen, PageUp: -screen };
    const last = this.total - 1;
    if (event.key in steps) this.activate(Math.min(last, Math.max(0, now + steps[event.key])));
    else if (event.key === "Home") this.activate(0);
    else if (event.key === "End") this.activate(last);
    else if (event.key === "Enter" && this.rowAt(now)) this.open(this.rowAt(now));
    else return;
    event.preventDefault();
  }
}
