// A row to read: an image where there is one, long text first, then names and values.

import { chip, count, el } from "./dom.js";
import { look } from "./server.js";

const LONG = 80;
const expanded = new Map(); // rows of which all columns are shown

export function rowCard(row) {
  row = expanded.get(row.row) ?? row;
  const parts = [];
  if (row.image) parts.push(picture(row.row, "picture"));
  parts.push(cells(row.cells));
  const body = el("div", { class: row.image ? "row with-picture" : "row" }, parts);
  if (row.more > 0) {
    const more = el("button", { type: "button", id: "more", class: "quiet", click: async () => {
      expanded.clear();
      expanded.set(row.row, await look(`/row/${row.row}`));
      body.replaceWith(rowCard(row));
    } }, `Show ${count(row.more, row.cells.length ? "more column" : "column")}`);
    body.append(more);
  }
  return body;
}

function cells(list) {
  const long = list.filter(([, text]) => text.length > LONG || text.includes("\n"));
  const short = list.filter(([, text]) => !(text.length > LONG || text.includes("\n")));
  return [
    long.map(([name, text]) => el("section", { class: "text" }, el("h3", {}, name), el("p", {}, text))),
    short.length
      ? el("dl", { class: short.length > 12 ? "cells many" : "cells" }, short.map(([name, text, kind]) =>
          el("div", { class: kind === "left out" ? "unused" : null },
            el("dt", {}, name),
            el("dd", { class: isNumber(text) ? "n" : null }, text === "" ? "–" : text))))
      : null,
  ];
}

function isNumber(text) {
  return text !== "" && !Number.isNaN(Number(text));
}

export function picture(row, kind) {
  return el("img", { src: `/image/${row}`, class: kind, alt: `image of row ${row + 1}` });
}

export function briefCard(view, row, note) {
  return el("li", { class: "brief" },
    row.image ? picture(row.row, "thumb") : null,
    el("div", {},
      row.label ? chip(view, row.label) : null,
      el("p", { class: row.image ? "soft small" : null }, row.image ? `row ${row.row + 1}` : row.text),
      note ? el("p", { class: "soft small" }, note) : null));
}
