// The view of one token: the tree of its merges, and the same as steps.

import { ask, newest } from "./api.js";
import { draw, make, number, plural } from "./dom.js";
import { bytesOf, chip } from "./show.js";
import { state } from "./state.js";
import { madeBy } from "./text.js";

const WIDEST = 200; // first tokens in a picture
const ROW = 64; // pixels from a token to those that it was made of
const BOX = 30; // the height of a token

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
    this.back = make("button", { type: "button", onclick: () => this.move(-1) }, "Back");
    this.forward = make("button", { type: "button", onclick: () => this.move(1) }, "Forward");
    this.title = make("h2", {}, "Merge tree");
    this.how = make("p", { class: "note" });
    this.picture = make("div", { class: "picture", tabindex: 0, role: "region", "aria-label": "Tree" });
    this.status = make("p", { class: "step-status", role: "status" });
    this.steps = make("div", { class: "wide" });
    this.larger = make("div", { class: "chips" });
    this.largerTitle = make("h3");
    this.player = make("div", { class: "player" }, this.back, this.step, this.forward);
    element.append(
      make("div", { class: "title-line" }, this.title,
        make("div", { class: "filters" }, make("label", { class: "field" }, make("span", {}, "Id"), this.input),
          make("button", { type: "button", onclick: () => this.go() }, "Show"))),
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
    this.how.textContent = `Id ${token.id}, ${plural(bytesOf(token.token).length, "byte")}. ${made[0].toUpperCase()}${made.slice(1)}.`;
    const merged = token.steps.length > 0;
    this.player.hidden = !merged;
    this.step.max = token.steps.length;
    this.states = states(token);
    this.drawTable();
    this.largerTitle.textContent = token.larger_total
      ? `Part of ${plural(token.larger_total, "larger token")}`
      : "";
    this.larger.replaceChildren(...token.larger.map((one) => chip(one.token, { id: one.id })));
    this.drawPicture();
    this.drawStep(token.steps.length);
  }

  move(by) {
    this.drawStep(Math.min(this.token.steps.length, Math.max(0, Number(this.step.value) + by)));
  }

  // Shows how far merging is: later merges are pale.
  drawStep(step) {
    this.step.value = step;
    this.back.disabled = step === 0;
    this.forward.disabled = step === this.token.steps.length;
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
      const first = this.token.steps.length ? `${plural(this.token.first.length, "first token")}` : "";
      this.status.textContent = first && `Before any merge: ${first}.`;
      return;
    }
    const { rank, count, left, right } = this.token.steps[step - 1];
    const times = count === null ? "." : `. Its count was ${number(count)} when it was chosen.`;
    const what = `Step ${step} of ${this.token.steps.length}: rank ${number(rank)} merges `;
    this.status.replaceChildren(what, chip(left), " and ", chip(right), times);
  }

  // The steps as a table: in each row the tokens after a merge.
  drawTable() {
    if (this.token.steps.length === 0) {
      this.steps.replaceChildren();
      return;
    }
    const head = ["Step", "Rank", "Count", "Tokens"].map((name, at) =>
      make("th", { scope: "col", class: at < 3 ? "number" : null }, name));
    const rows = this.states.map((tokens, at) => {
      const step = at === 0 ? null : this.token.steps[at - 1];
      const chips = tokens.map((one, place) => chip(one, { more: step && place === step.at ? "made" : "" }));
      return make("tr", { onclick: () => this.drawStep(at) },
        make("td", { class: "number" }, String(at)),
        make("td", { class: "number" }, step ? number(step.rank) : ""),
        make("td", { class: "number" }, step && step.count !== null ? number(step.count) : step ? "not known" : ""),
        make("td", { class: "chips" }, ...chips));
    });
    this.steps.replaceChildren(
      make("table", { class: "steps" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
  }

  // The tree: what merging starts from in a row at the bottom, and every merge above its two parts.
  drawPicture() {
    const { first, steps } = this.token;
    if (steps.length === 0 || first.length > WIDEST) {
      this.picture.replaceChildren();
      this.picture.hidden = true;
      return;
    }
    this.picture.hidden = false;
    let x = 0;
    const there = first.map((hex) => {
      const width = boxWidth(hex);
      const leaf = { hex, width, x: x + width / 2, height: 0, step: 0, parts: [] };
      x += width + 14;
      return leaf;
    });
    const all = [...there];
    steps.forEach(({ token, at, rank, id }, number) => {
      const parts = there.slice(at, at + 2);
      const node = {
        hex: token, rank, id, parts, step: number + 1,
        width: Math.max(boxWidth(token), 44),
        x: (parts[0].x + parts[1].x) / 2,
        height: Math.max(parts[0].height, parts[1].height) + 1,
      };
      there.splice(at, 2, node);
      all.push(node);
    });
    const [root] = there;
    const tall = (root.height + 1) * ROW;
    const left = Math.min(0, ...all.map((node) => node.x - node.width / 2)) - 6;
    const right = Math.max(...all.map((node) => node.x + node.width / 2)) + 6;
    const y = (node) => (root.height - node.height) * ROW + 22;
    const lines = all.flatMap((node) => node.parts.map((part) =>
      draw("path", {
        class: "branch",
        "data-step": node.step,
        d: `M${node.x},${y(node) + BOX} C${node.x},${y(node) + ROW - 8} ${part.x},${y(part) - 34} ${part.x},${y(part)}`,
      })));
    const svg = draw("svg", {
      viewBox: `${left} 0 ${right - left} ${tall}`,
      width: right - left,
      height: tall,
      role: "img",
      "aria-label": `${plural(steps.length, "merge")} make this token; the table below lists them.`,
    }, ...lines, ...all.map((node) => this.box(node, y(node))));
    this.picture.replaceChildren(svg);
  }

  box(node, y) {
    const text = draw("text", { x: node.x, y: y + 20, "text-anchor": "middle", class: "node-text" });
    text.append(label(node.hex));
    const parts = [
      draw("rect", { x: node.x - node.width / 2, y, width: node.width, height: BOX, rx: 6 }),
      text,
    ];
    if (node.rank !== undefined) {
      const rank = draw("text", { x: node.x, y: y - 5, "text-anchor": "middle", class: "node-rank" });
      rank.append(`rank ${number(node.rank)}`);
      parts.push(rank);
    }
    const open = node.id === undefined || node.id === null ? null : () => (location.hash = `tree/${node.id}`);
    return draw("g", { class: open ? "node link" : "node", "data-step": node.step, onclick: open ?? (() => {}) }, ...parts);
  }
}

// A token in a picture, where text has no elements: the start of a long one.
function label(hex) {
  const shown = chip(hex).textContent;
  const characters = [...shown];
  return characters.length > 24 ? `${characters.slice(0, 23).join("")}…` : shown;
}

const boxWidth = (hex) => 18 + 9.2 * [...label(hex)].length;

// The tokens before the first step and after each.
function states({ first, steps }) {
  const found = [first];
  let now = first;
  for (const { token, at } of steps) {
    now = [...now.slice(0, at), token, ...now.slice(at + 2)];
    found.push(now);
  }
  return found;
}
