// Where a text is typed, or a file is dropped: one for the views that look at the same text.

import { tell } from "./api.js";
import { check, later, make, number } from "./dom.js";
import { state } from "./state.js";

const WAIT = 80; // milliseconds after the last key

// A text area takes seconds to lay out a megabyte. A text of more characters is shown as tokens
// alone, and not edited.
const MOST_EDITED = 100_000;

// `hasSpecial()` says whether there are special tokens to be recognised.
export function textInput(label, hasSpecial) {
  const area = make("textarea", {
    class: "input",
    spellcheck: "false",
    autocomplete: "off",
    dir: "auto",
    "aria-label": label,
    oninput: later(WAIT, () => state.setText(area.value)),
    onpaste: paste,
  });
  const file = make("input", {
    type: "file",
    class: "unseen",
    "aria-label": "Open a file",
    onchange: () => file.files.length && read(file.files[0]),
  });
  const special = check("Recognise special tokens", false, (isChecked) =>
    state.setSpecial(isChecked ? "encode" : "text"),
  );
  const note = make("p", { class: "note" });
  const follow = () => {
    special.firstChild.checked = state.special === "encode";
    special.hidden = !hasSpecial();
    const isText = state.text !== null;
    const isSmall = isText && state.text.length <= MOST_EDITED;
    const what = `${state.fileName ?? "The text"} has ${number(state.bytes.length)} bytes`;
    area.readOnly = !isSmall;
    element.classList.toggle("viewed", !isSmall);
    if (isSmall && area.value !== state.text) area.value = state.text;
    else if (!isSmall) area.value = "";
    if (!isText) area.placeholder = `${what} that are not UTF-8, shown as they are.`;
    else if (!isSmall) area.placeholder = `${what}, too many to be edited here.`;
    else area.placeholder = "Type here, or drop a file.";
    note.textContent = state.fileName ?? "";
  };
  const clear = () => {
    state.setText("");
    area.focus();
  };
  const tools = make(
    "div",
    { class: "tools" },
    make("label", { class: "button" }, file, "Open a file"),
    make("button", { type: "button", onclick: clear }, "Clear"),
    special,
    note,
  );
  const element = make(
    "div",
    {
      class: "input-box",
      ondragover: (event) => {
        event.preventDefault();
        element.classList.add("dropping");
      },
      ondragleave: () => element.classList.remove("dropping"),
      ondrop: (event) => {
        event.preventDefault();
        element.classList.remove("dropping");
        if (event.dataTransfer.files.length) read(event.dataTransfer.files[0]);
      },
    },
    tools,
    area,
  );
  const events = ["text", "tokenizer", "tokenizers", "restored"];
  for (const event of events) state.addEventListener(event, follow);
  follow();
  return element;
}

// A large text never comes into the text area.
function paste(event) {
  const text = event.clipboardData.getData("text/plain");
  if (text.length <= MOST_EDITED) return;
  event.preventDefault();
  const size = new Blob([text]).size;
  if (fits("The text", size)) state.setText(text);
}

function fits(name, size) {
  const most = state.limits.text;
  if (size > most) tell(`${name} has ${number(size)} bytes, and the page takes ${number(most)}.`);
  return size <= most;
}

async function read(file) {
  if (!fits(file.name, file.size)) return;
  state.setBytes(new Uint8Array(await file.arrayBuffer()), file.name);
}
