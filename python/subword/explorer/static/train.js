// The view of a training: a small text, and every round of it, forward and back.

import { ask, newest } from "./api.js";
import { bar, button, cell, field, make, number, plural, table } from "./dom.js";
import { chip } from "./show.js";
import { PATTERNS, state } from "./state.js";

const TEXT = `low low low low low lower lower
newest newest newest newest newest newest
widest widest widest
`;
const TIES = { greatest: "bytes that sort last", "smallest-ids": "smallest ids" };
const NO_PAIR = "No pair is left";
const PACE = 900; // milliseconds to a round while it plays
const KEPT = "training text"; // its name in the session storage, which outlives a reload

export class TrainView {
  constructor(element) {
    this.at = 0;
    this.area = make("textarea", {
      class: "input small",
      spellcheck: "false",
      "aria-label": "Text to learn from",
    });
    this.area.value = sessionStorage.getItem(KEPT) ?? TEXT;
    this.area.addEventListener("input", () => {
      const { value } = this.area;
      if (value.length <= state.limits.training_text) sessionStorage.setItem(KEPT, value);
    });
    this.merges = make("input", { type: "number", min: 1, max: 300, value: 20 });
    this.pattern = select(PATTERNS.map((name) => [name, name]));
    this.ties = select(Object.entries(TIES));
    this.first = button("Start", () => this.go(0));
    this.back = button("Back", () => this.go(this.at - 1));
    this.playing = button("Play", () => this.play(), "main");
    this.forward = button("Forward", () => this.go(this.at + 1));
    this.slider = make("input", {
      type: "range",
      min: 0,
      "aria-label": "Round",
      oninput: () => this.go(Number(this.slider.value)),
    });
    this.title = make("h3", { class: "round-title" }, "Loading…");
    this.status = make("p", { class: "note" });
    this.pieces = make("div", { class: "panel" });
    this.pairs = make("div", { class: "panel" });
    this.buckets = make("div", { class: "panel" });
    const settings = [
      field("Merges", this.merges),
      field("Pattern", this.pattern),
      field("Of equal pairs", this.ties),
      button("Train", () => this.update(), "main"),
    ];
    const player = [this.first, this.back, this.playing, this.forward, this.slider];
    element.append(
      make("h2", {}, "Watch a training"),
      this.area,
      make("div", { class: "filters" }, ...settings),
      make("div", { class: "player" }, ...player),
      make("div", { role: "status" }, this.title, this.status),
      make("div", { class: "panels" }, this.pieces, this.pairs, this.buckets),
    );
    for (const one of player) one.disabled = true;
    this.update = newest(element, () => this.train());
    this.visible = () => !element.hidden;
  }

  show() {
    if (this.rounds === undefined) this.update();
  }

  async train() {
    this.stop();
    const answer = await ask("train", {
      text: this.area.value,
      num_merges: Number(this.merges.value),
      pattern: this.pattern.value,
      ties: this.ties.value,
    });
    this.rule = this.ties.value === "greatest" ? "its bytes sort last" : "its ids are the smallest";
    this.different = answer.different;
    this.stopped = answer.stop;
    this.rounds = answer.rounds;
    this.slider.max = this.rounds.length - 1;
    this.go(0);
  }

  play() {
    if (this.timer) {
      this.stop();
      return;
    }
    if (this.at === this.rounds.length - 1) this.go(0);
    this.playing.textContent = "Pause";
    this.timer = setInterval(() => {
      if (!this.visible() || this.at === this.rounds.length - 1) this.stop();
      else this.go(this.at + 1);
    }, PACE);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.playing.textContent = "Play";
  }

  // Shows a round: what there is, and what is chosen.
  go(at) {
    if (this.rounds === undefined || at < 0 || at >= this.rounds.length) return;
    this.at = at;
    const round = this.rounds[at];
    const end = round.pair === null;
    this.slider.value = at;
    this.slider.disabled = this.playing.disabled = this.rounds.length === 1;
    this.first.disabled = this.back.disabled = at === 0;
    this.forward.disabled = end;
    if (end) this.drawEnd(round);
    else this.drawTitle(round);
    this.drawPieces(round);
    this.drawPairs(round);
    this.drawBuckets(round);
  }

  drawEnd(round) {
    const why = this.stopped === "full" ? "as many as were asked for" : "no pair is left";
    this.title.replaceChildren(`After ${plural(this.at, "merge")}: ${why}`);
    this.status.textContent = `${plural(round.tokens, "token")} in all.`;
  }

  drawTitle({ pair: [left, right], count, equal, tokens }) {
    const made = chip(left + right, { more: "made" });
    const round = `Round ${this.at + 1}: `;
    this.title.replaceChildren(round, chip(left), " + ", chip(right), " → ", made);
    const others = equal === 2 ? "Another pair occurs" : `${number(equal - 1)} other pairs occur`;
    const tie = `${others} as often, and it goes first because ${this.rule}.`;
    const what = `It occurs ${plural(count, "time")} among ${plural(tokens, "token")}.`;
    this.status.textContent = equal > 1 ? `${what} ${tie}` : what;
  }

  drawPieces(round) {
    const made = this.at > 0 ? this.rounds[this.at - 1].pair.join("") : null;
    const rows = round.pieces.map(({ count, tokens, more }) => {
      const chosen = placesOf(round.pair, tokens);
      const chips = tokens.map((token, at) =>
        chip(token, { more: chosen.has(at) ? "chosen" : token === made ? "made" : "" }),
      );
      if (more) chips.push(rest(more));
      return make("tr", {}, cell("number", number(count)), cell("chips", ...chips));
    });
    fill(
      this.pieces,
      "Pieces",
      `${plural(this.different, "different piece")}, the most frequent first`,
      table([["Count", "number"], ["Tokens"]], rows),
    );
  }

  drawPairs(round) {
    const most = round.pairs[0]?.count ?? 1;
    const rows = round.pairs.map(({ pair, count }) => {
      const chosen = isSame(pair, round.pair);
      const tie = !chosen && count === round.count;
      const tags = chosen || tie ? [make("span", { class: "tag" }, chosen ? "chosen" : "tie")] : [];
      const plus = make("span", { class: "plus" }, "+");
      return make(
        "tr",
        { class: chosen ? "chosen-row" : tie ? "tie-row" : null },
        cell("number barred", bar(count / most), make("span", { class: "value" }, number(count))),
        cell("chips", chip(pair[0]), plus, chip(pair[1])),
        cell(null, ...tags),
      );
    });
    fill(
      this.pairs,
      "Pairs",
      rows.length ? `${plural(round.pairs_total, "different pair")}, the best first` : NO_PAIR,
      rows.length ? table([["Count", "number"], ["Pair"], [""]], rows) : "",
    );
  }

  drawBuckets(round) {
    const rows = round.buckets.map(({ count, total, pairs }) => {
      const chips = pairs.map((pair) => {
        const style = isSame(pair, round.pair) ? "pair chosen-pair" : "pair";
        return make("span", { class: style }, chip(pair[0]), chip(pair[1]));
      });
      if (total > pairs.length) chips.push(rest(total - pairs.length));
      return make("tr", {}, cell("number", number(count)), cell("chips", ...chips));
    });
    const many = plural(round.buckets_total, "bucket");
    const note = `Pairs by their count: ${many}, the highest first. The best pair is in the highest.`;
    fill(
      this.buckets,
      "Buckets",
      rows.length ? note : NO_PAIR,
      rows.length ? table([["Count", "number"], ["Pairs"]], rows) : "",
    );
  }
}

const select = (options) =>
  make("select", {}, ...options.map(([value, name]) => make("option", { value }, name)));

const rest = (count) => make("span", { class: "note" }, `and ${number(count)} more`);

const isSame = (pair, other) =>
  other !== null && pair[0] === other[0] && pair[1] === other[1];

// Where the tokens stand that a pair will merge: from left to right, without overlap.
function placesOf(pair, tokens) {
  const places = new Set();
  for (let at = 0; at + 1 < tokens.length; at++) {
    if (isSame([tokens[at], tokens[at + 1]], pair)) {
      places.add(at);
      places.add(++at);
    }
  }
  return places;
}

function fill(panel, title, note, content) {
  panel.replaceChildren(make("h3", {}, title), make("p", { class: "note" }, note), content);
}
