// The address says which view, tokenizer and text are shown, so that a reload, a link and the
// browser's back button keep them:
//
//   #tree/295?tokenizer=mine.json&text=low+lower&special=encode
//
// A text of more than MOST bytes would make an address that no program takes. It is kept in the
// session storage of the tab, which outlives a reload, and the address has the name under which it
// is kept. The text that everybody starts with is not in the address. A link without values
// (#tree/295) changes the view alone.

import { FIRST_TEXT, state } from "./state.js";

const MOST = 2000; // bytes of a text in an address
const KEPT = "text"; // its name in the session storage

// What is shown: the name of the view, and what it shows.
export const place = { view: "text", argument: "" };

let stored = { bytes: null, name: "" }; // the text that the session storage holds

// Reads the address into `place` and `state`; the sentence says what could not be found.
export function read() {
  const [path, query = null] = split(location.hash.slice(1), "?");
  const [view, argument = ""] = split(path, "/");
  Object.assign(place, { view, argument: argument ?? "" });
  if (query === null) return null;
  const values = new URLSearchParams(query);
  const name = values.get("tokenizer");
  const chosen = state.tokenizers.findIndex((one) => one.name === name);
  const text = readText(values);
  state.restore({
    chosen: Math.max(0, chosen),
    special: values.get("special") === "encode" ? "encode" : "text",
    text: text ?? { text: FIRST_TEXT },
  });
  if (chosen < 0 && name !== null) return `The tokenizer ${name} is not open here.`;
  if (text === null) return "The text of this address was too long for it, and is in another tab.";
  return null;
}

function readText(values) {
  if (values.has("text")) return { text: values.get("text") };
  if (values.has("base64")) return { bytes: fromBase64(values.get("base64")) };
  if (!values.has("kept")) return { text: FIRST_TEXT };
  if (values.get("kept") === stored.name) return { bytes: stored.bytes, fileName: stored.fileName };
  const { name, base64, fileName } = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
  if (name !== values.get("kept")) return null;
  stored = { name, bytes: fromBase64(base64), fileName };
  return { bytes: stored.bytes, fileName };
}

// Makes the address say what is shown, without a new step for the back button.
export function write() {
  history.replaceState(null, "", address());
}

// Goes to another view, with a step for the back button. The whole address is written at once: a view
// alone, completed when the browser tells of it, would lose tokenizer and text in a reload before that.
export function go(view, argument = "") {
  Object.assign(place, { view, argument: String(argument) });
  if (address() !== location.hash) history.pushState(null, "", address());
  state.tell("place");
}

function address() {
  const values = new URLSearchParams({ tokenizer: state.tokenizer.name });
  if (state.special === "encode") values.set("special", "encode");
  if (state.bytes.length > MOST) values.set("kept", keep());
  else if (state.text === null) values.set("base64", toBase64(state.bytes));
  else if (state.text !== FIRST_TEXT) values.set("text", state.text);
  const path = place.argument === "" ? place.view : `${place.view}/${place.argument}`;
  return `#${path}?${values}`;
}

// Whether the address has the text, so that somebody else who opens it sees the same.
export const hasText = () => state.bytes.length <= MOST;

// Shows something else in the same view.
export function setArgument(argument) {
  place.argument = String(argument);
  write();
}

function keep() {
  if (stored.bytes === state.bytes) return stored.name;
  stored = { bytes: state.bytes, name: Date.now().toString(36), fileName: state.fileName };
  const { name, fileName } = stored;
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ name, base64: toBase64(state.bytes), fileName }));
  } catch {
    sessionStorage.removeItem(KEPT); // there is no room: it is lost with the next reload
  }
  return name;
}

export function toBase64(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

function fromBase64(base64) {
  try {
    return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  } catch {
    return new Uint8Array(); // somebody has changed the address
  }
}

// A text before and after the first of a separator; null where there is none.
function split(text, separator) {
  const at = text.indexOf(separator);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + separator.length)];
}
