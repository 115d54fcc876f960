// Rows that the model is sure of, class by class, accepted together.

import { chip, count, el, number, percent } from "./dom.js";
import { briefCard } from "./row.js";
import { classButtons, tool } from "./buttons.js";
import { look } from "./server.js";

let groups = null;
let at = 0;
let known = -1;

export const confident = {
  title: "Groups",
  async load(view) {
    if (known === view.version && groups) return;
    const before = groups?.[at]?.label;
    groups = await look("/groups");
    known = view.version;
    const same = groups.findIndex((one) => one.label === before);
    at = same >= 0 ? same : 0;
  },
  render(page, view) {
    if (!groups) return el("p", { class: "soft" }, "Loading …");
    const group = groups[at];
    if (!group) {
      return el("section", { class: "card" }, el("h2", {}, "No confident groups yet"),
        el("p", {}, "A group shows here when the model is at least 90 % sure of five rows of a class. Go on answering rows."));
    }
    const wrong = group.expected_wrong < 0.5 ? "none" : `about ${number(Math.round(group.expected_wrong))}`;
    return [
      el("section", { class: "card", "aria-labelledby": "group" },
        el("div", { class: "row-head" },
          el("h2", { id: "group" }, `${count(group.rows.length, "row")} look like `, chip(view, group.label)),
          el("span", { class: "tag" }, `group ${at + 1} of ${groups.length}`)),
        el("p", { class: "soft" }, `A sample, the least sure first. The model expects ${wrong} of them to be wrong; `
          + "accepted rows never count as evidence."),
        el("ul", { class: "briefs sample" }, group.shown.map((one) =>
          briefCard(view, { ...one, label: null }, percent(one.confidence)))),
        el("div", { class: "buttons" },
          tool(`Accept these ${number(group.rows.length)}`, "⏎", "Enter", () => page.key("Enter"), true),
          tool("Next group", "space", " ", () => page.key(" ")))),
      el("details", { class: "card" }, el("summary", {}, "Give them another class"), classButtons(page, view)),
    ];
  },
  spoken(view) {
    const group = groups?.[at];
    return group ? `${group.rows.length} rows look like ${group.label}. Enter accepts them.` : "No confident groups yet.";
  },
  async give(page, view, name) {
    const group = groups?.[at];
    if (!group) return;
    await page.change("/accept", { rows: group.rows, label: name });
    page.notice(`${count(group.rows.length, "row")} accepted as ${name}. Backspace takes it back.`);
  },
  async accept(page, view) {
    if (groups?.[at]) await this.give(page, view, groups[at].label);
  },
  async skip(page) {
    if (groups?.length) at = (at + 1) % groups.length;
    page.draw();
  },
};
