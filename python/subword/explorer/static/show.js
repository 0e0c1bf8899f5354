// Bytes for the eye, and no lies: what cannot be seen has a name, what is no text is hexadecimal.

import { make } from "./dom.js";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// Characters that leave no ink, or change how others are laid out.
const HIDDEN = new RegExp(
  "[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}" +
    "\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\u2800" + // spaces that are not the space
    "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0" + // fillers, joiners
    "\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]", // which variant the character before it is
  "u",
);

const NAMES = {
  0x00: "NUL", 0x08: "BS", 0x09: "⇥", 0x0a: "↵", 0x0d: "␍", 0x1b: "ESC", 0x7f: "DEL", 0x85: "NEL",
  0xa0: "NBSP", 0xad: "SHY", 0x034f: "CGJ", 0x061c: "ALM", 0x200b: "ZWSP", 0x200c: "ZWNJ",
  0x200d: "ZWJ", 0x200e: "LRM", 0x200f: "RLM", 0x2028: "LS", 0x2029: "PS", 0x202a: "LRE",
  0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO", 0x202f: "NNBSP", 0x2060: "WJ",
  0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0x3000: "IDSP", 0xfe0e: "VS15",
  0xfe0f: "VS16", 0xfeff: "BOM",
};

const MARK = /^\p{M}/u;

export const hexOf = (bytes) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(" ");

export function bytesOf(hex) {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

// A hidden character by its name, or by its number.
export function nameOf(character) {
  const code = character.codePointAt(0);
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

// How many bytes a character has whose first byte is below each of these.
const SIZES = [[0x80, 1], [0xc2, 0], [0xe0, 2], [0xf0, 3], [0xf5, 4], [0x100, 0]];

// How many bytes of the character that starts here belong to it; 0 if none does.
function characterAt(bytes, at, end) {
  const lead = bytes[at];
  const size = SIZES.find(([below]) => lead < below)[1];
  if (size === 0 || at + size > end) return 0;
  try {
    strict.decode(bytes.subarray(at, at + size));
    return size;
  } catch {
    return 0;
  }
}

// Bytes as runs: `{text}` that is seen, `{hidden}` a character without ink, `{raw}` no text.
export function runs(bytes) {
  let text;
  try {
    text = strict.decode(bytes);
  } catch {
    return mixed(bytes);
  }
  return ofText(text);
}

function ofText(text) {
  if (!HIDDEN.test(text)) return text === "" ? [] : [{ text }];
  const found = [];
  let plain = "";
  for (const character of text) {
    if (!HIDDEN.test(character)) {
      plain += character;
      continue;
    }
    if (plain !== "") found.push({ text: plain });
    plain = "";
    found.push({ hidden: character });
  }
  if (plain !== "") found.push({ text: plain });
  return found;
}

function mixed(bytes) {
  const found = [];
  let at = 0;
  while (at < bytes.length) {
    let end = at;
    let size;
    while (end < bytes.length && (size = characterAt(bytes, end, bytes.length)) > 0) end += size;
    if (end > at) found.push(...ofText(strict.decode(bytes.subarray(at, end))));
    at = end;
    while (end < bytes.length && characterAt(bytes, end, bytes.length) === 0) end++;
    if (end > at) found.push({ raw: bytes.subarray(at, end) });
    at = end;
  }
  return found;
}

// Nodes for bytes. In a line of its own (`flat`) a new line breaks nothing; where `spaces` are
// shown, a space is ␣.
export function nodes(bytes, { flat = false, spaces = flat } = {}) {
  const made = [];
  for (const run of runs(bytes)) {
    if (run.raw) {
      made.push(make("span", { class: "raw" }, hexOf(run.raw)));
    } else if (run.hidden) {
      made.push(make("span", { class: "hidden-character" }, nameOf(run.hidden)));
      if (run.hidden === "\n" && !flat) made.push("\n");
    } else {
      // A mark that combines would sit on what stands before it, which may be another token.
      const text = MARK.test(run.text) ? `◌${run.text}` : run.text;
      made.push(spaces ? text.replaceAll(" ", "␣") : text);
    }
  }
  return made;
}

// A token in a line: a link to how it was built if it has an id.
export function chip(hex, { id = null, more = "" } = {}) {
  const bytes = bytesOf(hex);
  const properties = { class: `chip ${more}`.trim(), dir: "ltr" };
  if (id === null) return make("span", properties, ...nodes(bytes, { flat: true }));
  const link = { ...properties, href: `#tree/${id}`, title: `id ${id}` };
  return make("a", link, ...nodes(bytes, { flat: true }));
}

// Tokens as a list that Python reads: text as strings, what is no text as bytes.
export const listed = (tokens) => `[${tokens.map((hex) => literal(bytesOf(hex))).join(", ")}]`;

function literal(bytes) {
  let text;
  try {
    text = strict.decode(bytes);
  } catch {
    const escaped = Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, "0")}`);
    return `b"${escaped.join("")}"`;
  }
  // What cannot be seen is escaped, so that what is pasted can be read.
  const seen = Array.from(text, (one) => (HIDDEN.test(one) ? escape(one) : quoted(one)));
  return `"${seen.join("")}"`;
}

const quoted = (one) => (one === '"' || one === "\\" ? `\\${one}` : one);

function escape(one) {
  const code = one.codePointAt(0);
  if (one === "\n") return "\\n";
  if (one === "\t") return "\\t";
  const digits = code.toString(16);
  return code > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
}
