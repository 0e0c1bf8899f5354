// The view of one token: the tree of its merges, and the same as steps.

import { ask, newest } from "./api.js";
import { button, cell, draw, field, make, number, plural, table } from "./dom.js";
import { chip } from "./show.js";
import { state } from "./state.js";
import { madeBy } from "./text.js";

const WIDEST = 200; // first tokens in a picture
const ROW = 64; // pixels from a token to those that it was made of
const BOX = 30; // the height of a token
const GAP = 14; // between first tokens

export class TreeView {
  constructor(element) {
    this.id = null;
    this.input = make("input", {
      type: "text",
      inputmode: "numeric",
      onkeydown: (event) => event.key === "Enter" && this.go(),
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
    this.how = make("p", { class: "note" });
    const region = { tabindex: 0, role: "region" };
    this.picture = make("div", { ...region, class: "picture", "aria-label": "Tree" });
    this.player = make("div", { class: "player" }, this.back, this.step, this.forward);
    this.status = make("p", { class: "step-status", role: "status" });
    this.steps = make("div", { class: "wide" });
    this.largerTitle = make("h3");
    this.larger = make("div", { class: "chips" });
    const choice = [field("Id", this.input), button("Show", () => this.go())];
    element.append(
      make("div", { class: "title-line" }, this.title, make("div", { class: "filters" }, ...choice)),
      this.how,
      this.picture,
      this.player,
      this.status,
      this.steps,
      this.largerTitle,
      this.larger,
    );
    this.update = newest(() => this.ask());
    state.addEventListener("tokenizer", () => {
      this.id = null;
      if (!element.hidden) this.show(location.hash.split("/")[1] ?? "");
    });
  }

  show(argument) {
    const fallback = this.id ?? Math.min(300, state.tokenizer.max_id);
    this.id = /^\d+$/.test(argument) ? Number(argument) : fallback;
    this.input.value = this.id;
    this.update();
  }

  go() {
    if (/^\d+$/.test(this.input.value)) location.hash = `tree/${this.input.value}`;
  }

  async ask() {
    const token = await ask("token", { tokenizer: state.chosen, id: this.id });
    this.token = token;
    this.title.replaceChildren("Token ", chip(token.token, { more: "big" }));
    const made = madeBy(token);
    const size = plural(token.token.length / 2, "byte");
    this.how.textContent = `Id ${token.id}, ${size}. ${made[0].toUpperCase()}${made.slice(1)}.`;
    this.player.hidden = token.steps.length === 0;
    this.step.max = token.steps.length;
    this.drawTable();
    const many = token.larger_total;
    this.largerTitle.textContent = many ? `Part of ${plural(many, "larger token")}` : "";
    this.larger.replaceChildren(...token.larger.map((one) => chip(one.token, { id: one.id })));
    this.drawPicture();
    this.drawStep(token.steps.length);
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
    const rows = [this.row(0, ["", ""], first, null)];
    let tokens = first;
    for (const [order, step] of steps.entries()) {
      tokens = [...tokens.slice(0, step.at), step.token, ...tokens.slice(step.at + 2)];
      const count = step.count === null ? "not known" : number(step.count);
      rows.push(this.row(order + 1, [number(step.rank), count], tokens, step));
    }
    const columns = [["Step", "number"], ["Rank", "number"], ["Count", "number"], ["Tokens"]];
    this.steps.replaceChildren(...(steps.length ? [table(columns, rows, "steps")] : []));
  }

  row(at, [rank, count], tokens, step) {
    const chips = tokens.map((token, place) =>
      place === step?.at ? chip(token, { id: step.id, more: "made" }) : chip(token),
    );
    return make(
      "tr",
      { onclick: () => this.drawStep(at) },
      cell("number", String(at)),
      cell("number", rank),
      cell("number", count),
      cell("chips", ...chips),
    );
  }

  // The tree: what merging starts from in a row at the bottom, and every merge above its two parts.
  drawPicture() {
    const { first, steps } = this.token;
    this.picture.hidden = steps.length === 0 || first.length > WIDEST;
    if (this.picture.hidden) return;
    const all = placed(first, steps);
    const root = all.at(-1);
    const y = (node) => (root.height - node.height) * ROW + 22;
    const left = Math.min(...all.map((node) => node.x - node.width / 2)) - 6;
    const right = Math.max(...all.map((node) => node.x + node.width / 2)) + 6;
    const tall = (root.height + 1) * ROW;
    const lines = all.flatMap((node) => node.parts.map((part) => branch(node, part, y)));
    const said = `${plural(steps.length, "merge")} make this token; the table below lists them.`;
    const size = { width: right - left, height: tall };
    const view = { viewBox: `${left} 0 ${right - left} ${tall}`, role: "img", "aria-label": said };
    const boxes = all.map((node) => box(node, y(node)));
    this.picture.replaceChildren(draw("svg", { ...size, ...view }, ...lines, ...boxes));
  }
}

// The tokens of a tree, each with its place: `x` from the left, `height` above the first tokens.
function placed(first, steps) {
  let x = 0;
  const there = first.map((hex) => {
    const width = boxWidth(hex);
    const leaf = { hex, width, x: x + width / 2, height: 0, step: 0, parts: [] };
    x += width + GAP;
    return leaf;
  });
  const all = [...there];
  for (const [order, { token, at, rank, id }] of steps.entries()) {
    const parts = there.slice(at, at + 2);
    const node = {
      hex: token,
      rank,
      id,
      parts,
      step: order + 1,
      width: Math.max(boxWidth(token), 44),
      x: (parts[0].x + parts[1].x) / 2,
      height: Math.max(parts[0].height, parts[1].height) + 1,
    };
    there.splice(at, 2, node);
    all.push(node);
  }
  return all;
}

function branch(node, part, y) {
  const [start, end] = [y(node) + BOX, y(part)];
  const curve = `${node.x},${start + ROW - BOX - 8} ${part.x},${end - 34} ${part.x},${end}`;
  const d = `M${node.x},${start} C${curve}`;
  return draw("path", { class: "branch", "data-step": node.step, d });
}

function box(node, y) {
  const middle = { x: node.x, "text-anchor": "middle" };
  const corner = { x: node.x - node.width / 2, y, width: node.width, height: BOX, rx: 6 };
  const parts = [
    draw("rect", corner),
    draw("text", { ...middle, y: y + 20, class: "node-text" }, label(node.hex)),
  ];
  if (node.rank !== undefined) {
    const rank = `rank ${number(node.rank)}`;
    parts.push(draw("text", { ...middle, y: y - 5, class: "node-rank" }, rank));
  }
  const isLink = node.id !== undefined && node.id !== null;
  const open = isLink ? () => (location.hash = `tree/${node.id}`) : null;
  const style = isLink ? "node link" : "node";
  return draw("g", { class: style, "data-step": node.step, onclick: open }, ...parts);
}

// A token in a picture, where text has no elements: the start of a long one.
function label(hex) {
  const characters = [...chip(hex).textContent];
  return characters.length > 24 ? `${characters.slice(0, 23).join("")}…` : characters.join("");
}

const boxWidth = (hex) => 18 + 9.2 * [...label(hex)].length;
