// All rows on a plane, colored by class; a line drawn around some of them chooses them.

import { count, dot, el, number } from "./dom.js";
import { classButtons, tool } from "./buttons.js";
import { bytes } from "./server.js";

const FILLED = 0, ACCEPTED = 4, NONE = 65535;
let rows = null, places = null, codes = null, sure = null, origins = null;
let known = -1;
let chosen = [];
let zoom = { scale: 1, x: 0, y: 0 };
const canvas = el("canvas", { class: "points", role: "img" });
const over = el("canvas", { class: "lasso" });
let line = null, listens = false;

export const map = {
  title: "Map",
  async load(view) {
    if (!places) {
      const held = await bytes("/places");
      if (held) {
        const n = held.byteLength / 12;
        rows = new Uint32Array(held, 0, n);
        places = new Float32Array(held, 4 * n, 2 * n);
      }
    }
    if (places && known !== view.version) {
      const held = await bytes("/marks");
      const n = rows.length;
      codes = new Uint16Array(held, 0, n);
      sure = new Uint8Array(held, 2 * n, n);
      origins = new Uint8Array(held, 3 * n, n);
      known = view.version;
    }
  },
  render(page, view) {
    if (!places) return el("section", { class: "card" }, el("p", {}, "The map comes when the table is read."));
    canvas.setAttribute("aria-label", `A map of ${number(rows.length)} rows`);
    if (!listens) listen(page);
    const open = chosen.filter((place) => origins[place] === FILLED || origins[place] === ACCEPTED).length;
    const card = el("section", { class: "card", "aria-label": "Map" },
      el("p", { class: "soft" }, "Draw a line around rows to choose them. The wheel zooms, a double click shows all. ",
        rows.length < view.n_rows ? `${number(rows.length)} of ${number(view.n_rows)} rows are shown, drawn at random.` : ""),
      el("div", { class: "map" }, canvas, over),
      el("p", { class: "legend" }, view.classes.slice(0, 24).map((one) => el("span", { class: "chip" }, dot(one.code), one.name))),
      el("p", { id: "chosen", role: "status" }, chosen.length
        ? `${count(chosen.length, "row")} chosen, ${number(open)} of them without a class from you.` : "No row is chosen."),
      el("div", { class: "buttons" },
        tool("Accept their guesses", "⏎", "Enter", () => page.key("Enter"), true),
        tool("Ask me these", "⇧⏎", "Shift+Enter", () => page.key("Shift+Enter")),
        tool("Choose none", "space", " ", () => page.key(" "))));
    requestAnimationFrame(() => paint());
    return [card, el("section", { class: "card" }, el("h3", {}, "Give the chosen rows a class"), classButtons(page, view))];
  },
  held: () => line !== null,
  spoken() {
    return `${count(chosen.length, "row")} chosen.`;
  },
  async give(page, view, name) {
    if (!chosen.length) return page.notice("No row is chosen: draw a line around some.");
    const n = chosen.length;
    await page.change("/accept", { rows: chosen.map((place) => rows[place]), label: name });
    chosen = [];
    page.notice(`${count(n, "row")} accepted as ${name}. Backspace takes it back.`);
    page.draw();
  },
  async accept(page) {
    if (!chosen.length) return page.notice("No row is chosen: draw a line around some.");
    const n = chosen.length;
    await page.change("/accept", { rows: chosen.map((place) => rows[place]), label: null });
    chosen = [];
    page.notice(`${count(n, "row")} accepted. Backspace takes it back.`);
    page.draw();
  },
  async ask(page) {
    if (!chosen.length) return page.notice("No row is chosen: draw a line around some.");
    await page.change("/ask", { rows: chosen.map((place) => rows[place]) });
    chosen = [];
    page.show("ask");
  },
  async skip(page) {
    chosen = [];
    page.draw();
  },
};

const MARGIN = 14, FARTHEST = 1.1;

// pixel = slope * place + offset, for both directions
function scales(width, height) {
  const [u, v] = [(width - 2 * MARGIN) / 2, (height - 2 * MARGIN) / 2], slope = zoom.scale / FARTHEST;
  return { ax: u * slope, bx: MARGIN + u * (1 + zoom.x), ay: -v * slope, by: MARGIN + v * (1 - zoom.y) };
}

function colors() {
  const probe = el("span", {});
  canvas.parentNode.append(probe);
  const read = (name) => {
    probe.className = name;
    return getComputedStyle(probe).backgroundColor.match(/[\d.]+/g).slice(0, 3).map(Number);
  };
  const found = Array.from({ length: 12 }, (_, k) => read(`dot c${k}`));
  const none = read("dot none"), ground = read("ground");
  probe.remove();
  return { found, none, ground };
}

function paint() {
  if (!canvas.isConnected) return;
  const began = performance.now();
  const box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
  const width = Math.round(box.width * ratio), height = Math.round(box.height * ratio);
  for (const one of [canvas, over]) {
    one.width = width;
    one.height = height;
  }
  const { found, none, ground } = colors();
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const packed = ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r;
  const mixed = (color, share) => packed(color.map((value, k) => Math.round(share * value + (1 - share) * ground[k])));
  pixels.fill(packed(ground));
  const half = rows.length > 20000 ? ratio : 1.5 * ratio;
  const shades = new Uint32Array(12 * 4);
  for (let code = 0; code < 12; code++) {
    for (let level = 0; level < 4; level++) shades[4 * code + level] = mixed(found[code], 0.45 + 0.15 * level);
  }
  const gray = packed(none), mark = new Uint8Array(rows.length), front = [];
  for (const place of chosen) mark[place] = 1;
  const { ax, bx, ay, by } = scales(width, height);
  for (let place = 0; place < rows.length; place++) {
    if (origins[place] !== FILLED || mark[place]) {
      front.push(place);
      continue;
    }
    const color = codes[place] === NONE ? gray : shades[4 * (codes[place] % 12) + (sure[place] >> 6)];
    const x = ax * places[2 * place] + bx, y = ay * places[2 * place + 1] + by;
    const left = Math.max(0, Math.round(x - half)), right = Math.min(width, Math.round(x + half));
    const top = Math.max(0, Math.round(y - half)), bottom = Math.min(height, Math.round(y + half));
    for (let v = top; v < bottom; v++) for (let u = left; u < right; u++) pixels[v * width + u] = color;
  }
  context.putImageData(image, 0, 0);
  const ink = getComputedStyle(canvas).color;
  for (const place of front) {
    const x = ax * places[2 * place] + bx, y = ay * places[2 * place + 1] + by;
    const labeled = origins[place] !== FILLED && origins[place] !== ACCEPTED;
    context.beginPath();
    context.arc(x, y, (labeled ? 4 : 2.5) * ratio, 0, 7);
    context.fillStyle = codes[place] === NONE ? `rgb(${none})` : `rgb(${found[codes[place] % 12]})`;
    context.fill();
    if (labeled || mark[place]) {
      context.lineWidth = (mark[place] ? 1.2 : 1.6) * ratio;
      context.strokeStyle = ink;
      context.stroke();
    }
  }
  performance.measure("paint", { start: began, end: performance.now() });
}

function listen(page) {
  listens = true;
  const point = (event) => {
    const box = over.getBoundingClientRect(), ratio = over.width / box.width;
    return [(event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio];
  };
  over.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    over.setPointerCapture(event.pointerId);
    line = [point(event)];
  });
  over.addEventListener("pointermove", (event) => {
    if (!line) return;
    line.push(point(event));
    const context = over.getContext("2d");
    context.clearRect(0, 0, over.width, over.height);
    context.beginPath();
    line.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.strokeStyle = getComputedStyle(over).color;
    context.lineWidth = 1.5 * (window.devicePixelRatio || 1);
    context.stroke();
    context.globalAlpha = 0.08;
    context.fillStyle = context.strokeStyle;
    context.fill();
    context.globalAlpha = 1;
  });
  over.addEventListener("pointerup", () => {
    const drawn = line;
    line = null;
    if (!drawn || drawn.length < 4) return;
    chosen = inside(drawn);
    page.draw();
  });
  over.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = over.getBoundingClientRect();
    const u = ((event.clientX - box.left) / box.width) * 2 - 1, v = 1 - ((event.clientY - box.top) / box.height) * 2;
    const scale = Math.min(60, Math.max(1, zoom.scale * (event.deltaY < 0 ? 1.2 : 1 / 1.2)));
    const factor = scale / zoom.scale;
    zoom = scale === 1 ? { scale: 1, x: 0, y: 0 }
      : { scale, x: u - factor * (u - zoom.x), y: v - factor * (v - zoom.y) };
    requestAnimationFrame(() => paint());
  }, { passive: false });
  over.addEventListener("dblclick", () => {
    zoom = { scale: 1, x: 0, y: 0 };
    paint();
  });
}

function inside(line) {
  const found = [], { ax, bx, ay, by } = scales(over.width, over.height);
  for (let place = 0; place < rows.length; place++) {
    const x = ax * places[2 * place] + bx, y = ay * places[2 * place + 1] + by;
    let within = false;
    for (let k = 0, last = line.length - 1; k < line.length; last = k++) {
      const [ax, ay] = line[k], [bx, by] = line[last];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) within = !within;
    }
    if (within) found.push(place);
  }
  return found;
}

window.addEventListener("resize", () => requestAnimationFrame(() => paint()));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paint());
