// The main view: one row, its guess, the reason, one key.

import { chip, count, el, percent } from "./dom.js";
import { briefCard, rowCard } from "./row.js";
import { classButtons, tool } from "./buttons.js";

const WHY = {
  drawn: "drawn at random",
  suggested: "would teach most",
  spread: "typical of many rows",
  wanted: "you asked for it",
};

export const ask = {
  title: "Ask",
  render(page, view) {
    const asked = view.question;
    if (!asked) {
      return el("section", { class: "card" }, el("h2", {}, "Every row has a class from you"),
        el("p", {}, "There is nothing left to ask. Save, and you are done."));
    }
    return [
      el("section", { class: "card", "aria-labelledby": "asked" },
        el("div", { class: "row-head" },
          el("h2", { id: "asked" }, `Row ${asked.row + 1}`),
          el("span", { class: `tag ${asked.why}` }, WHY[asked.why]),
          asked.twins ? el("span", { class: "tag" }, `fills ${count(asked.twins, "row")} with the same cells`) : null),
        rowCard(asked)),
      el("section", { class: "card answer", "aria-label": "Answer" },
        guess(view, asked),
        classButtons(page, view, asked.guess),
        el("div", { class: "buttons" },
          tool("Skip", "space", " ", () => page.key(" ")),
          tool("New class", "n", "n", () => page.key("n")))),
      asked.near?.length
        ? el("section", { class: "reason", "aria-label": "Nearest labeled rows" },
            el("h3", {}, "The nearest labeled rows"),
            el("ul", { class: "briefs" }, asked.near.map((one) => briefCard(view, one, one.image ? null : `row ${one.row + 1}`))))
        : null,
    ];
  },
  spoken(view) {
    const asked = view.question;
    if (!asked) return "Every row has a class from you.";
    const cells = asked.cells.slice(0, 4).map(([name, text]) => `${name}: ${text.slice(0, 200)}`).join("; ");
    const guessed = asked.guess ? `Guess ${asked.guess}, ${percent(asked.confidence)}.` : "";
    return `Row ${asked.row + 1}. ${cells}. ${guessed}`;
  },
  async give(page, view, name) {
    const asked = view.question;
    if (!asked) return;
    await page.change("/answer", { row: asked.row, label: name });
  },
  async accept(page, view) {
    const asked = view.question;
    if (!asked) return;
    if (asked.guess) await page.change("/answer", { row: asked.row, label: asked.guess });
    else page.notice(asked.why === "drawn"
      ? "This row measures the error, so its guess is hidden: choose a class."
      : "There is no guess yet: choose a class.");
  },
  async skip(page, view) {
    if (view.question) await page.change("/skip", { row: view.question.row });
  },
};

function guess(view, asked) {
  if (asked.guess) {
    return el("div", { class: "guess" },
      el("p", {}, "Guess ", chip(view, asked.guess), el("span", { class: "sure" }, percent(asked.confidence))),
      el("div", { class: "meter", role: "img", "aria-label": `confidence ${percent(asked.confidence)}` },
        fill(asked.confidence)),
      el("p", { class: "soft small" }, el("kbd", {}, "⏎"), " accepts it"));
  }
  if (view.learning === "waiting" || !view.curve.length) {
    return el("p", { class: "soft" }, view.classes.length < 2
      ? "Name the classes as you meet them: press n and type. Guesses begin with two classes."
      : "The first guesses come when the first model is ready.");
  }
  return el("p", { class: "soft" }, asked.why === "drawn"
    ? "This row was drawn at random to measure the error. Its guess is hidden until you answer."
    : "There is no guess for this row yet.");
}

function fill(share) {
  const bar = el("span", {});
  bar.style.width = `${100 * share}%`;
  return bar;
}
