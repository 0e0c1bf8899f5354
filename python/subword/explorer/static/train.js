// The view of a training: a small text, and every round of it, forward and back.

import { ask, newest } from "./api.js";
import { make, number, plural } from "./dom.js";
import { chip } from "./show.js";

const TEXT = `low low low low low lower lower
newest newest newest newest newest newest
widest widest widest
`;
const PATTERNS = ["gpt2", "cl100k", "o200k", "llama3", "qwen2", "deepseek-v3", "whitespace", "none"];
const PACE = 900; // milliseconds to a round while it plays

export class TrainView {
  constructor(element) {
    this.at = 0;
    this.area = make("textarea", { class: "input small", spellcheck: "false", "aria-label": "Text to learn from" });
    this.area.value = TEXT;
    this.merges = make("input", { type: "number", min: 1, max: 300, value: 20 });
    this.pattern = make("select", {},
      ...PATTERNS.map((name) => make("option", { value: name }, name)));
    this.ties = make("select", {},
      make("option", { value: "greatest" }, "bytes that sort last"),
      make("option", { value: "smallest-ids" }, "smallest ids"));
    const go = () => this.update();
    this.first = make("button", { type: "button", onclick: () => this.go(0) }, "Start");
    this.back = make("button", { type: "button", onclick: () => this.go(this.at - 1) }, "Back");
    this.playing = make("button", { type: "button", class: "main", onclick: () => this.play() }, "Play");
    this.forward = make("button", { type: "button", onclick: () => this.go(this.at + 1) }, "Forward");
    this.slider = make("input", { type: "range", min: 0, "aria-label": "Round",
      oninput: () => this.go(Number(this.slider.value)) });
    this.title = make("h3", { class: "round-title" });
    this.status = make("p", { class: "note" });
    this.said = make("div", { role: "status" }, this.title, this.status);
    this.pieces = make("div", { class: "panel" });
    this.pairs = make("div", { class: "panel" });
    this.buckets = make("div", { class: "panel buckets-panel" });
    element.append(
      make("h2", {}, "Watch a training"),
      this.area,
      make("div", { class: "filters" },
        field("Merges", this.merges), field("Pattern", this.pattern), field("Of equal pairs", this.ties),
        make("button", { type: "button", class: "main", onclick: go }, "Train")),
      make("div", { class: "player" }, this.first, this.back, this.playing, this.forward, this.slider),
      this.said,
      make("div", { class: "panels" }, this.pieces, this.pairs, this.buckets),
    );
    this.update = newest(() => this.train());
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
    this.first.disabled = this.back.disabled = at === 0;
    this.forward.disabled = end;
    this.drawTitle(round, end);
    this.drawPieces(round);
    this.drawPairs(round);
    this.drawBuckets(round);
  }

  drawTitle(round, end) {
    if (end) {
      const why = this.stopped === "full" ? "as many as were asked for" : "no pair is left";
      this.title.replaceChildren(`After ${plural(this.at, "merge")}: ${why}`);
      this.status.textContent = `${plural(round.tokens, "token")} in all.`;
      return;
    }
    const [left, right] = round.pair;
    this.title.replaceChildren(`Round ${this.at + 1}: `, chip(left), " + ", chip(right), " → ", chip(left + right, { more: "made" }));
    const tie = round.equal > 1 ? ` ${number(round.equal)} pairs occur as often, and it goes first because ${this.rule}.` : "";
    this.status.textContent = `It occurs ${plural(round.count, "time")} among ${plural(round.tokens, "token")}.${tie}`;
  }

  drawPieces(round) {
    const chosen = round.pair?.join("+");
    const made = this.at > 0 ? this.rounds[this.at - 1].pair.join("") : null;
    const rows = round.pieces.map(({ count, tokens }) => {
      const chips = tokens.map((token, at) => {
        const pairs = `${token}+${tokens[at + 1]}` === chosen || `${tokens[at - 1]}+${token}` === chosen;
        return chip(token, { more: pairs ? "chosen" : token === made ? "made" : "" });
      });
      return make("tr", {}, make("td", { class: "number" }, number(count)), make("td", { class: "chips" }, ...chips));
    });
    fill(this.pieces, "Pieces", `${plural(this.different, "different piece")}, the most frequent first`,
      make("table", {}, head("Count", "Tokens"), make("tbody", {}, ...rows)));
  }

  drawPairs(round) {
    const most = round.pairs[0]?.count ?? 1;
    const rows = round.pairs.map(({ pair, count }) => {
      const chosen = pair.join("+") === round.pair?.join("+");
      const tie = count === round.count && round.equal > 1;
      const bar = make("span", { class: "bar", "aria-hidden": "true" });
      bar.style.width = `${(100 * count) / most}%`;
      const note = chosen ? "chosen" : tie ? "tie" : "";
      return make("tr", { class: chosen ? "chosen-row" : tie ? "tie-row" : null },
        make("td", { class: "number barred" }, bar, make("span", { class: "value" }, number(count))),
        make("td", { class: "chips" }, chip(pair[0]), make("span", { class: "plus" }, "+"), chip(pair[1])),
        make("td", {}, note && make("span", { class: "tag" }, note)));
    });
    fill(this.pairs, "Pairs", `${plural(round.pairs_total, "different pair")}, the best first`,
      make("table", {}, head("Count", "Pair", ""), make("tbody", {}, ...rows)));
  }

  drawBuckets(round) {
    const rows = round.buckets.map(({ count, total, pairs }) => {
      const chips = pairs.map((pair) => make("span", { class: pair.join("+") === round.pair?.join("+") ? "pair chosen-pair" : "pair" },
        chip(pair[0]), chip(pair[1])));
      const more = total > pairs.length ? [make("span", { class: "note" }, `and ${number(total - pairs.length)} more`)] : [];
      return make("tr", {}, make("td", { class: "number" }, number(count)), make("td", { class: "chips" }, ...chips, ...more));
    });
    fill(this.buckets, "Buckets", `Pairs lie in the bucket of their count: ${plural(round.buckets_total, "bucket")}, the highest first. The best pair is in the highest.`,
      make("table", {}, head("Count", "Pairs"), make("tbody", {}, ...rows)));
  }
}

const field = (name, input) => make("label", { class: "field" }, make("span", {}, name), input);

const head = (...names) =>
  make("thead", {}, make("tr", {}, ...names.map((name, at) => make("th", { scope: "col", class: at ? null : "number" }, name))));

function fill(panel, title, note, table) {
  panel.replaceChildren(make("h3", {}, title), make("p", { class: "note" }, note), table);
}
