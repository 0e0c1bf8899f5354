// How tokens look: as text or as ids, with signs for spaces. It is the same in all views, and kept.

import { check } from "./dom.js";
import { state } from "./state.js";

const NAMES = { ids: "Ids", spaces: "White space" };

const isKept = (name) => localStorage.getItem(name) === "shown";

state.look = { ids: isKept("ids"), spaces: isKept("spaces") };

// The boxes to tick.
export function lookBoxes() {
  return Object.entries(NAMES).map(([name, label]) => {
    const box = check(label, state.look[name], (isShown) => {
      localStorage.setItem(name, isShown ? "shown" : "");
      state.setLook(name, isShown);
    });
    state.addEventListener("look", () => (box.firstChild.checked = state.look[name]));
    return box;
  });
}
