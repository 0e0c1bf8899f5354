// What can be copied of a text: its ids, its tokens, and the address of what is shown.

import { hasText } from "./address.js";
import { ask, tell, told } from "./api.js";
import { button, make, plural } from "./dom.js";
import { listed } from "./show.js";

// Buttons; `encoded()` gives the answer that is shown, or null.
export function copyButtons(encoded) {
  const status = make("span", { class: "note", role: "status" });
  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = what;
    } catch {
      tell("The browser does not let the page copy.");
    }
  };
  const ids = () => {
    const { ids: all } = encoded();
    return copy(`[${all.join(", ")}]`, `${plural(all.length, "id")} copied`);
  };
  const tokens = async () => {
    const { ids: all, tokenizer } = encoded();
    const different = [...new Set(all)];
    const answer = await ask("tokens", { tokenizer, ids: different });
    const known = new Map(different.map((id, at) => [id, answer.tokens[at]]));
    const text = listed(all.map((id) => known.get(id)));
    await copy(text, `${plural(all.length, "token")} copied`);
  };
  const link = () => {
    const rest = hasText() ? "" : "; the text is too long for it";
    return copy(location.href, `Link copied${rest}`);
  };
  const action = (call) => () => encoded() !== null && told(call());
  return make(
    "span",
    { class: "copying", role: "group", "aria-label": "Copy" },
    button("Copy ids", action(ids)),
    button("Copy tokens", action(tokens)),
    button("Copy link", action(link)),
    status,
  );
}
