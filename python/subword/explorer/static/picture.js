// The tree of a token as a drawing: what merging starts from in a row at the bottom, and every merge
// above its two parts, with its rank in its own box, where no line crosses it.

import { go } from "./address.js";
import { draw, number, plural } from "./dom.js";
import { chip } from "./show.js";

const ROW = 74; // pixels from a token to those that it was made of
const BOX = 30; // the height of a first token
const RANKED = 44; // the height of a token with its rank
const GAP = 14; // between first tokens
const LEAST = 0.7; // how small a tree becomes to fit in; a larger one is scrolled

export function drawTree({ first, steps }) {
  const all = placed(first, steps);
  const root = all.at(-1);
  const y = (node) => (root.height - node.height) * ROW + 8;
  const left = Math.min(...all.map((node) => node.x - node.width / 2)) - 6;
  const right = Math.max(...all.map((node) => node.x + node.width / 2)) + 6;
  const tall = root.height * ROW + BOX + 16;
  const lines = all.flatMap((node) => node.parts.map((part) => branch(node, part, y)));
  const said = `${plural(steps.length, "merge")} make this token; the table below lists them.`;
  const size = { width: right - left, height: tall };
  const view = { viewBox: `${left} 0 ${right - left} ${tall}`, role: "img", "aria-label": said };
  const boxes = all.map((node) => box(node, y(node)));
  const picture = draw("svg", { ...size, ...view }, ...lines, ...boxes);
  picture.style.minWidth = `${LEAST * size.width}px`;
  return picture;
}

// The tokens of a tree, each with its place: `x` from the left, `height` above the first tokens. A
// token is in the middle of its `span`, which has room for it and for all that it is made of.
function placed(first, steps) {
  const there = first.map((hex) => {
    const width = boxWidth(hex);
    return { hex, width, span: width, height: 0, step: 0, parts: [] };
  });
  const all = [...there];
  for (const [order, { token, at, rank: place, id }] of steps.entries()) {
    const parts = there.slice(at, at + 2);
    const rank = `rank ${number(place)}`;
    const width = Math.max(boxWidth(token), 18 + 6.2 * rank.length);
    const span = Math.max(width, parts[0].span + GAP + parts[1].span);
    const height = Math.max(parts[0].height, parts[1].height) + 1;
    const node = { hex: token, rank, id, parts, step: order + 1, width, span, height };
    there.splice(at, 2, node);
    all.push(node);
  }
  all.at(-1).from = 0;
  for (const node of all.toReversed()) {
    node.x = node.from + node.span / 2;
    let from = node.x - node.parts.reduce((sum, one) => sum + one.span, GAP) / 2;
    for (const part of node.parts) {
      part.from = from;
      from += part.span + GAP;
    }
  }
  return all;
}

function branch(node, part, y) {
  const [start, end] = [y(node) + RANKED, y(part)];
  const curve = `${node.x},${start + ROW - RANKED - 8} ${part.x},${end - 26} ${part.x},${end}`;
  const d = `M${node.x},${start} C${curve}`;
  return draw("path", { class: "branch", "data-step": node.step, d });
}

function box(node, y) {
  const middle = { x: node.x, "text-anchor": "middle" };
  const height = node.rank === undefined ? BOX : RANKED;
  const corner = { x: node.x - node.width / 2, y, width: node.width, height, rx: 6 };
  const parts = [
    draw("rect", corner),
    draw("text", { ...middle, y: y + 20, class: "node-text" }, label(node.hex)),
  ];
  if (node.rank !== undefined) {
    parts.push(draw("text", { ...middle, y: y + 36, class: "node-rank" }, node.rank));
  }
  const isLink = node.id !== undefined && node.id !== null;
  const open = isLink ? () => go("tree", node.id) : null;
  const style = isLink ? "node link" : "node";
  return draw("g", { class: style, "data-step": node.step, onclick: open }, ...parts);
}

// A token in a picture, where text has no elements: the start of a long one.
function label(hex) {
  const characters = [...chip(hex).textContent];
  return characters.length > 24 ? `${characters.slice(0, 23).join("")}…` : characters.join("");
}

const boxWidth = (hex) => 18 + 9.2 * [...label(hex)].length;
