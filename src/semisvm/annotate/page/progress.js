// Beside every view: the sentence, the curve, the classes.

import { count, dot, el, number, percent, svg } from "./dom.js";

export function progress(view) {
  return [
    el("section", { class: view.settled ? "card stop" : "card" },
      el("p", { class: "sentence", id: "sentence" }, view.sentence),
      curve(view.curve.filter((one) => one.error !== undefined)),
      view.changed === null ? null
        : el("p", { class: "soft small" }, `The last fit changed the guess of ${count(view.changed, "row")}.`),
      view.sampled === null ? null
        : el("p", { class: "soft small" }, `The model learns from your labels and ${number(view.sampled)} rows drawn at random, and guesses all ${number(view.n_rows)}.`),
      view.trouble ? el("p", { class: "trouble" }, view.trouble) : null),
    el("section", { class: "card" },
      el("dl", { class: "figures" },
        figure("your labels", view.n_labels), figure("accepted", view.n_accepted), figure("guessed", view.n_open)),
      view.classes.length ? table(view) : null),
  ];
}

function figure(title, value) {
  return el("div", {}, el("dt", {}, title), el("dd", {}, number(value)));
}

function table(view) {
  const shares = view.classes.some((one) => one.share);
  return el("div", { class: "scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", {}, "class"), el("th", { class: "n" }, "labels"), el("th", { class: "n" }, "rows"),
      shares ? el("th", { class: "n", title: "share of all rows, from rows drawn at random; 80 % interval" }, "share") : null)),
    el("tbody", {}, view.classes.map((one) => el("tr", {},
      el("td", {}, dot(one.code), one.name),
      el("td", { class: "n" }, number(one.labels)),
      el("td", { class: "n" }, number(one.rows)),
      shares ? el("td", { class: "n" }, one.share ? `${percent(one.share[0])} ` : "",
        one.share ? el("span", { class: "soft" }, `${(100 * one.share[1]).toFixed(0)}–${(100 * one.share[2]).toFixed(0)}`) : "") : null)))));
}

const WIDTH = 300, HEIGHT = 132, LEFT = 30, BOTTOM = 20;

function curve(points) {
  if (points.length < 2) return null;
  const most = Math.max(0.05, ...points.map((one) => one.high));
  const first = points[0].n_labels, last = points[points.length - 1].n_labels;
  const x = (n) => LEFT + ((WIDTH - LEFT - 6) * (n - first)) / Math.max(1, last - first);
  const y = (share) => 6 + (HEIGHT - BOTTOM - 6) * (1 - share / most);
  const at = (key) => points.map((one) => `${x(one.n_labels).toFixed(1)},${y(one[key]).toFixed(1)}`);
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((one) => most / one <= 4) ?? 0.5;
  const lines = [];
  for (let share = 0; share <= most + 1e-9; share += step) {
    lines.push(svg("line", { x1: LEFT, x2: WIDTH - 6, y1: y(share), y2: y(share), class: "grid" }),
      svg("text", { x: LEFT - 5, y: y(share) + 3.5, "text-anchor": "end" }, `${Math.round(100 * share)}%`));
  }
  const end = points[points.length - 1];
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", role: "img",
    "aria-label": `Expected error over labels: ${percent(points[0].error)} at ${first} labels, ${percent(end.error)} at ${last}.` },
    lines,
    svg("polygon", { points: [...at("high"), ...at("low").reverse()].join(" "), class: "band" }),
    svg("polyline", { points: at("error").join(" "), class: "line" }),
    svg("circle", { cx: x(end.n_labels), cy: y(end.error), r: 3.2, class: "end" }),
    svg("text", { x: LEFT, y: HEIGHT - 5 }, `${first} labels`),
    svg("text", { x: WIDTH - 6, y: HEIGHT - 5, "text-anchor": "end" }, String(last)));
}
