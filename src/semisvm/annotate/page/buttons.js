// Buttons that do what a key does, and say which.

import { dot, el, number } from "./dom.js";

export function classButtons(page, view, guess = null) {
  return el("div", { class: "classes", role: "group", "aria-label": "Classes" },
    view.classes.map((one) => el("button", {
      type: "button",
      id: `class-${one.code}`,
      class: one.name === guess ? "class guessed" : "class",
      "aria-keyshortcuts": one.key,
      click: () => page.give(one.name),
    }, one.key ? el("kbd", {}, one.key) : null, dot(one.code), el("span", { class: "name" }, one.name),
    el("span", { class: "soft n" }, number(one.labels)))),
    view.n_classes > view.classes.length
      ? el("p", { class: "soft small" }, `and ${number(view.n_classes - view.classes.length)} more: press n and type the name`) : null);
}

export function tool(title, shown, key, click, main = false) {
  return el("button", { type: "button", id: `tool-${title.split(" ")[0].toLowerCase()}`, class: main ? "main" : null, "aria-keyshortcuts": key === " " ? "Space" : key, click },
    `${title} `, el("kbd", {}, shown));
}
