// Elements. Whatever comes from a text goes in as text, never as HTML.

// An element: `make("p", {class: "note"}, "some ", make("b", {}, "text"))`. A property that starts
// with "on" is a listener; null and false leave an attribute out.
export function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

const SVG = "http://www.w3.org/2000/svg";

// The same for a drawing.
export function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

// A table: its columns as names and styles, and its rows.
export function table(columns, rows, style = null) {
  const head = columns.map(([name, kind]) => make("th", { scope: "col", class: kind }, name));
  return make(
    "table",
    { class: style },
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...rows),
  );
}

export const cell = (style, ...children) => make("td", { class: style }, ...children);

// A part of the longest bar, as wide as its share.
export function bar(share) {
  const element = make("span", { class: "bar", "aria-hidden": "true" });
  element.style.width = `${100 * share}%`;
  return element;
}

// An input with its name before it.
export const field = (name, input) =>
  make("label", { class: "field" }, make("span", {}, name), input);

export const button = (name, click, style = null) =>
  make("button", { type: "button", class: style, onclick: click }, name);

// A box to tick, with its name behind it.
export function check(name, isChecked, change) {
  const input = make("input", { type: "checkbox", onchange: () => change(input.checked) });
  input.checked = isChecked;
  return make("label", { class: "check" }, input, name);
}

const grouped = new Intl.NumberFormat("en");

export const number = (value) => grouped.format(value);

export const plural = (value, one, many = `${one}s`) =>
  `${number(value)} ${value === 1 ? one : many}`;

// Calls a function once, when nothing has called for it for a while.
export function later(milliseconds, call) {
  let waiting = 0;
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(call, milliseconds);
  };
}
