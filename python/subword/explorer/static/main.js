// The page: its views, which of them is shown, the tokenizer and the colours.
//
// The part of the address after # names the view, so that a view can be linked to and the browser's
// back button goes back: #text, #compare, #tree/500, #vocabulary, #train.

import { ask, tell } from "./api.js";
import { make, number, plural } from "./dom.js";
import { state } from "./state.js";
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
};
const names = Object.keys(VIEWS);
const views = {};
const tabOf = (name) => document.getElementById(`tab-${name}`);

function show() {
  const [asked, argument = ""] = location.hash.slice(1).split("/");
  const name = names.includes(asked) ? asked : "text";
  tell(null);
  for (const one of names) {
    const here = one === name;
    tabOf(one).setAttribute("aria-selected", here);
    tabOf(one).tabIndex = here ? 0 : -1;
    document.getElementById(`view-${one}`).hidden = !here;
  }
  document.title = `${tabOf(name).textContent} · subword explorer`;
  views[name] ??= new VIEWS[name](document.getElementById(`view-${name}`));
  views[name].show(argument);
}

// Arrows go from tab to tab, as everywhere.
function tabKey(event) {
  const at = names.indexOf(event.currentTarget.id.slice("tab-".length));
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const name = names.at(to % names.length);
  location.hash = name;
  tabOf(name).focus();
}

function describe() {
  const { kind, vocab_size, pattern, merges, special_tokens } = state.tokenizer;
  const shown = Array.isArray(pattern) ? `${pattern.length} patterns` : `pattern ${pattern}`;
  const parts = [KINDS[kind], plural(vocab_size, "token")];
  if (merges !== null) parts.push(plural(merges, "merge"));
  const special = Object.keys(special_tokens).length;
  parts.push(special ? plural(special, "special token") : "no special tokens");
  parts.push(shown.length > 60 ? `${shown.slice(0, 59)}…` : shown);
  document.getElementById("about").textContent = parts.join(" · ");
}

function theme() {
  const select = document.getElementById("theme");
  const apply = () => {
    if (select.value) document.documentElement.dataset.theme = select.value;
    else delete document.documentElement.dataset.theme;
  };
  select.value = localStorage.getItem("theme") ?? "";
  apply();
  select.addEventListener("change", () => {
    localStorage.setItem("theme", select.value);
    apply();
  });
}

async function start() {
  theme();
  const { tokenizers, limits } = await ask("tokenizers");
  state.tokenizers = tokenizers;
  state.limits = limits;
  const select = document.getElementById("tokenizer");
  select.append(
    ...tokenizers.map((one, at) =>
      make("option", { value: at }, `${one.name} (${number(one.vocab_size)})`),
    ),
  );
  select.addEventListener("change", () => state.choose(Number(select.value)));
  state.addEventListener("tokenizer", describe);
  describe();
  for (const name of names) {
    tabOf(name).addEventListener("click", () => (location.hash = name));
    tabOf(name).addEventListener("keydown", tabKey);
  }
  addEventListener("hashchange", show);
  show();
}

start().catch((error) => tell(error.message));
