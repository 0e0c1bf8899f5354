// Elements. Whatever comes from a text goes in as text, never as HTML.

// An element: `make("p", {class: "note"}, "some ", make("b", {}, "text"))`. A property that starts
// with "on" is a listener; null and false leave an attribute out.
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

// The same for a drawing.
export function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
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
