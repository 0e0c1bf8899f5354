// The colours of the page: the system's, light or dark, by one button that goes round.

import { draw } from "./dom.js";

const THEMES = ["", "light", "dark"];
const NAMES = { "": "as the system", light: "light", dark: "dark" };

export function theme(button) {
  let now = localStorage.getItem("theme") ?? "";
  const apply = () => {
    if (now) document.documentElement.dataset.theme = now;
    else delete document.documentElement.dataset.theme;
    button.ariaLabel = button.title = `Colours: ${NAMES[now]}`;
    button.replaceChildren(icon(now));
  };
  button.addEventListener("click", () => {
    now = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    localStorage.setItem("theme", now);
    apply();
  });
  if (!THEMES.includes(now)) now = "";
  apply();
}

// A circle: half full, empty with rays, or full.
function icon(now) {
  const half = draw("path", { d: "M10 4a6 6 0 0 1 0 12z", class: "full" });
  const rays = [0, 45, 90, 135, 180, 225, 270, 315].map((turn) =>
    draw("path", { d: "M10 1v2.4", transform: `rotate(${turn} 10 10)` }),
  );
  const moon = draw("path", { d: "M13 3.6a7 7 0 1 0 4 9.4a5.6 5.6 0 0 1-4-9.4z", class: "full" });
  const disc = draw("circle", { cx: 10, cy: 10, r: now === "light" ? 4 : 6 });
  const parts = { "": [disc, half], light: [disc, ...rays], dark: [moon] }[now];
  return draw("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, ...parts);
}
