// Labels to look at again: confirm with Enter, mend with a class.

import { chip, el, percent } from "./dom.js";
import { rowCard } from "./row.js";
import { classButtons, tool } from "./buttons.js";
import { look } from "./server.js";

let found = null;
let at = 0;
let known = -1;

export const check = {
  title: "Check",
  async load(view) {
    if (known === view.version && found) return;
    found = await look("/checks");
    known = view.version;
    at = Math.min(at, Math.max(0, found.length - 1));
  },
  render(page, view) {
    if (!found) return el("p", { class: "soft" }, "Loading …");
    const one = found[at];
    if (!one) {
      return el("section", { class: "card" }, el("h2", {}, "Nothing to check"),
        el("p", {}, "Labels that the model doubts, classes that look like typos of one another and classes with one label show here."));
    }
    return [
      el("section", { class: "card", "aria-labelledby": "finding" },
        el("div", { class: "row-head" },
          el("h2", { id: "finding" }, title(view, one)),
          el("span", { class: "tag" }, `${at + 1} of ${found.length}`)),
        el("p", { class: "soft" }, explanation(one)),
        one.shown ? rowCard(one.shown) : null,
        el("div", { class: "buttons" },
          tool(one.kind === "alike" ? `Make them one: ${one.instead}` : "It is right", "⏎", "Enter", () => page.key("Enter"), true),
          one.kind === "alike" ? tool("They are two classes", "x", null, () => dismiss(page, one)) : null,
          tool("Next", "space", " ", () => page.key(" ")))),
      one.kind === "alike" ? null
        : el("section", { class: "card" }, el("h3", {}, "Or give the row another class"), classButtons(page, view, one.instead)),
    ];
  },
  spoken(view) {
    const one = found?.[at];
    return one ? explanation(one) : "Nothing to check.";
  },
  async give(page, view, name) {
    const one = found?.[at];
    if (one && one.row !== null) await page.change("/mend", { row: one.row, label: name });
  },
  async accept(page) {
    const one = found?.[at];
    if (!one) return;
    if (one.kind === "alike") await page.change("/merge", { label: one.label, to: one.instead });
    else await dismiss(page, one);
  },
  async skip(page) {
    if (found?.length) at = (at + 1) % found.length;
    page.draw();
  },
};

const dismiss = (page, one) => page.change("/dismiss", { key: one.key });

function title(view, one) {
  if (one.kind === "alike") return ["Is ", chip(view, one.label), " the same as ", chip(view, one.instead), "?"];
  if (one.kind === "single") return [chip(view, one.label), " has one label"];
  return [`Row ${one.row + 1}: `, chip(view, one.label), "?"];
}

function explanation(one) {
  if (one.kind === "alike") return `The names ${one.label} and ${one.instead} look like typos of one another.`;
  if (one.kind === "single") return `Only this row is labeled ${one.label}. A class with one label is hard to learn and may be a typo.`;
  return `A model that had not seen this label says ${one.instead}, with ${percent(one.probability)}.`;
}
