// The page: its views, which of them is shown, the tokenizer and the colours.

import { go, place, read, write } from "./address.js";
import { ask, solved, tell } from "./api.js";
import { make, plural } from "./dom.js";
import { opener } from "./opening.js";
import { state } from "./state.js";
import { theme } from "./theme.js";
import { CompareView } from "./compare.js";
import { TextView } from "./text.js";
import { TrainView } from "./train.js";
import { TreeView } from "./tree.js";
import { VocabularyView } from "./vocabulary.js";

const VIEWS = {
  text: TextView,
  compare: CompareView,
  tree: TreeView,
  vocabulary: VocabularyView,
  train: TrainView,
};
const KINDS = {
  ranks: "byte-pair encoding by token rank",
  merges: "byte-pair encoding by merge list",
  longest: "the longest tokens",
  wordpiece: "WordPiece",
  chain: "the steps of a tokenizer.json",
};
// Views that do not show the tokenizer that is chosen.
const OWN = {
  compare: "Tokenizers side by side: choose them below",
  train: "A training of its own: no tokenizer that is open takes part",
};
const names = Object.keys(VIEWS);
const views = {};
const tabOf = (name) => document.getElementById(`tab-${name}`);

// Shows what the address says.
function follow() {
  const missing = read();
  if (!names.includes(place.view)) Object.assign(place, { view: "text", argument: "" });
  tell(missing, true);
  show();
}

function show() {
  const name = place.view;
  for (const one of names) {
    const here = one === name;
    tabOf(one).setAttribute("aria-selected", here);
    tabOf(one).tabIndex = here ? 0 : -1;
    document.getElementById(`view-${one}`).hidden = !here;
  }
  document.title = `${tabOf(name).textContent} · subword explorer`;
  document.body.dataset.view = name;
  describe();
  write();
  views[name] ??= new VIEWS[name](document.getElementById(`view-${name}`));
  views[name].show(place.argument);
}

// Arrows go from tab to tab, as everywhere.
function tabKey(event) {
  const at = names.indexOf(event.currentTarget.id.slice("tab-".length));
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const name = names.at(to % names.length);
  go(name);
  tabOf(name).focus();
}

function describe() {
  const about = document.getElementById("about");
  if (place.view in OWN) {
    about.textContent = about.title = OWN[place.view];
    return;
  }
  const { kind, vocab_size, pattern, merges, special_tokens } = state.tokenizer;
  const shown = Array.isArray(pattern) ? `${pattern.length} patterns` : `pattern ${pattern}`;
  const parts = [KINDS[kind] ?? kind, plural(vocab_size, "token")];
  if (merges !== null) parts.push(plural(merges, "merge"));
  const special = Object.keys(special_tokens).length;
  parts.push(special ? plural(special, "special token") : "no special tokens");
  if (kind !== "chain") parts.push(shown.length > 60 ? `${shown.slice(0, 59)}…` : shown);
  about.textContent = about.title = parts.join(" · ");
}

// The tokenizers to choose from, and the one that is chosen.
function list() {
  const select = document.getElementById("tokenizer");
  select.replaceChildren(
    ...state.tokenizers.map((one, at) =>
      make("option", { value: at }, one.name),
    ),
  );
  select.value = state.chosen;
}

function choose() {
  document.getElementById("tokenizer").value = state.chosen;
  describe();
}

async function start() {
  theme(document.getElementById("theme"));
  const { tokenizers, limits } = await ask("tokenizers");
  state.tokenizers = tokenizers;
  state.limits = limits;
  list();
  const select = document.getElementById("tokenizer");
  select.addEventListener("change", () => state.choose(Number(select.value)));
  state.addEventListener("tokenizers", list);
  for (const event of ["tokenizer", "restored"]) state.addEventListener(event, choose);
  for (const event of ["tokenizer", "text"]) {
    state.addEventListener(event, () => {
      solved("address");
      write();
    });
  }
  opener(document.getElementById("open"));
  for (const name of names) {
    tabOf(name).addEventListener("click", () => go(name));
    tabOf(name).addEventListener("keydown", tabKey);
  }
  state.addEventListener("place", () => {
    tell(null);
    show();
  });
  addEventListener("hashchange", follow);
  follow();
}

start().catch((error) => tell(error.message));
