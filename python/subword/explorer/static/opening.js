// A tokenizer is opened from the page: chosen in a dialog, or dropped anywhere but on a text.

import { Refused, send, tell } from "./api.js";
import { button, field, make, number } from "./dom.js";
import { PATTERNS, state } from "./state.js";

const WHAT =
  "A tokenizer.json, a vocab.txt, a .tiktoken file or one of ours. It is read by the explorer on " +
  "this machine, and is there until the explorer ends.";

export function opener(opening) {
  const problem = make("p", { class: "problem", role: "alert", hidden: true });
  const input = make("input", { type: "file", accept: ".json,.txt,.tiktoken" });
  const pattern = make("select", {}, make("option", { value: "" }, "as the file says"));
  pattern.append(...PATTERNS.map((name) => make("option", { value: name }, name)));
  let file = null; // the one that was dropped
  const show = (message) => {
    problem.hidden = message === null;
    problem.textContent = message ?? "";
  };
  const go = async () => {
    const chosen = input.files[0] ?? file;
    if (chosen === null) return show("Choose a file first.");
    dialog.setAttribute("aria-busy", "true");
    try {
      await open(chosen, pattern.value);
      dialog.close();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      show(error.message);
    } finally {
      dialog.setAttribute("aria-busy", "false");
    }
  };
  const ready = (dropped = null) => {
    file = dropped;
    input.value = "";
    pattern.value = "";
    show(null);
    name.textContent = dropped === null ? WHAT : `The file that was dropped: ${dropped.name}`;
    input.parentElement.hidden = dropped !== null;
    dialog.showModal();
  };
  const name = make("p", { class: "note" });
  const title = make("h2", { id: "open-title" }, "Open a tokenizer");
  const dialog = make(
    "dialog",
    { class: "dialog", "aria-labelledby": "open-title" },
    title,
    name,
    make("div", { class: "filters" }, field("File", input), field("Pattern", pattern)),
    problem,
    make(
      "div",
      { class: "tools" },
      button("Open", go, "main"),
      button("Cancel", () => dialog.close()),
    ),
  );
  input.addEventListener("change", () => show(null));
  document.body.append(dialog);
  opening.addEventListener("click", () => ready());
  drops(async (dropped) => {
    try {
      await open(dropped, "");
      tell(null);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      ready(dropped); // it may need a pattern
      show(error.message);
    }
  });
}

async function open(file, pattern) {
  const most = state.limits.file;
  if (file.size > most) {
    const sizes = `has ${number(file.size)} bytes, and the page takes ${number(most)}.`;
    throw new Refused(`${file.name} ${sizes}`);
  }
  const values = new URLSearchParams({ name: file.name, pattern });
  const answer = await send(`open?${values}`, file, "octet-stream");
  state.add(answer.tokenizer, answer.about);
}

// Files that are dropped, unless a text takes them: without this the browser would leave the page.
function drops(take) {
  const header = document.querySelector(".top");
  const isOver = (here) => header.classList.toggle("dropping", here);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    isOver(event.target.closest?.(".input-box") === null);
  });
  document.addEventListener("dragleave", () => isOver(false));
  document.addEventListener("drop", (event) => {
    isOver(false);
    if (event.defaultPrevented) return;
    event.preventDefault();
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
  });
}
