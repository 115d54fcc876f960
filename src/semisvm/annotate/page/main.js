// The page: four views of one state, and the same keys in each.

import { ask } from "./ask.js";
import { check } from "./check.js";
import { el, number } from "./dom.js";
import { confident } from "./groups.js";
import { map } from "./map.js";
import { progress } from "./progress.js";
import { Refusal, change, look } from "./server.js";

const VIEWS = { ask, groups: confident, map, check };
const LEARNING = {
  reading: "reading the table",
  waiting: "waits for two classes",
  learning: "learning …",
  ready: "up to date",
  stopped: "not learning",
};
const POLL = 700;

let view = null;
let shown = "ask";
let asked = null;
let queue = Promise.resolve();

const $ = (id) => document.getElementById(id);

const page = {
  // one thing after the other, in the order of the keys
  key: (key) => (queue = queue.then(() => press(key)).catch(showProblem)),
  give: (name) => (queue = queue.then(() => VIEWS[shown].give(page, view, name)).catch(showProblem)),
  async change(path, body) {
    view = await change(path, body);
    if (path === "/answer" && view.revealed) notice(view.revealed);
    await page.draw();
  },
  async draw() {
    await VIEWS[shown].load?.(view);
    render();
  },
  async show(name) {
    shown = name;
    await page.draw();
    $("content").focus({ preventScroll: true });
  },
  notice,
};

function showProblem(problem) {
  if (problem instanceof Refusal) {
    if (problem.view) view = problem.view;
    notice(problem.message);
    return page.draw();
  }
  notice("The program does not answer. It may have ended: nothing that was decided is lost.");
  return null;
}

function back() {
  $("content").focus({ preventScroll: true });
}

let fading = null;
function notice(text) {
  $("notice").replaceChildren(el("p", {}, text));
  clearTimeout(fading);
  fading = setTimeout(() => $("notice").replaceChildren(), 5000);
}

function render() {
  const focused = document.activeElement?.id;
  document.title = `${view.table} · ${view.column}`;
  $("table").textContent = view.table;
  $("status").replaceChildren(
    el("span", { class: `light ${view.learning}`, "aria-hidden": "true" }),
    `${view.column} · ${number(view.n_rows)} rows · ${LEARNING[view.learning]}`);
  $("tabs").replaceChildren(...Object.entries(VIEWS).map(([name, one]) => el("button", {
    type: "button", role: "tab", id: `tab-${name}`, "aria-selected": String(name === shown), "aria-controls": "content",
    tabindex: name === shown ? 0 : -1, click: () => page.show(name),
  }, one.title, name === "check" && view.findings ? el("span", { class: "badge" }, number(view.findings)) : null)));
  $("content").replaceChildren(...[VIEWS[shown].render(page, view)].flat(Infinity).filter(Boolean));
  $("progress").replaceChildren(...progress(view));
  $("undo").disabled = view.n_decisions === 0;
  const spoken = VIEWS[shown].spoken(view);
  if ($("spoken").textContent !== spoken) $("spoken").textContent = spoken;
  if (focused && document.activeElement?.id !== focused) $(focused)?.focus({ preventScroll: true });
  if (view.question?.row !== asked) {
    asked = view.question?.row;
    if (shown === "ask") window.scrollTo({ top: 0 });
  }
}

// ---------------------------------------------------------------- keys

const NAMES = Object.keys(VIEWS);

async function press(key) {
  const one = VIEWS[shown];
  if (key === "Enter") return one.accept(page, view);
  if (key === "Shift+Enter") return one.ask?.(page, view);
  if (key === " ") return one.skip(page, view);
  if (key === "Backspace") return view.n_decisions ? page.change("/undo") : notice("There is nothing to take back.");
  if (key === "n") return openNaming();
  if (key === "?") return openKeys();
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const step = key === "ArrowRight" ? 1 : NAMES.length - 1;
    await page.show(NAMES[(NAMES.indexOf(shown) + step) % NAMES.length]);
    return document.activeElement?.role === "tab" ? $(`tab-${shown}`).focus() : null;
  }
  const found = view.classes.find((candidate) => candidate.key === key);
  return found ? one.give(page, view, found.name) : null;
}

const HANDLED = new Set(["Enter", " ", "Backspace", "?", "ArrowLeft", "ArrowRight"]);

document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (document.querySelector("dialog[open]") || target.matches("input, textarea, select")) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
    event.preventDefault();
    save();
    return;
  }
  // a key that is held down answers once
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !view) return;
  // a button that has the focus is pressed by Enter and space, as everywhere
  if ((event.key === "Enter" || event.key === " ") && target.matches("button, summary, a")) return;
  const key = event.shiftKey && event.key === "Enter" ? "Shift+Enter" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!HANDLED.has(key) && key !== "Shift+Enter" && !(key.length === 1)) return;
  event.preventDefault();
  const began = performance.now();
  page.key(key).then(() => performance.measure("key", { start: began, end: performance.now(), detail: key }));
});

// ---------------------------------------------------------------- dialogs

function openNaming() {
  $("naming-name").value = "";
  const row = shown === "ask" && view.question ? `Row ${view.question.row + 1} gets it.` : "";
  $("naming-hint").textContent = row;
  $("naming").showModal();
}

$("naming-no").addEventListener("click", () => $("naming").close("no"));
$("naming").addEventListener("close", () => {
  const name = $("naming-name").value.trim(), how = $("naming").returnValue;
  $("naming").returnValue = "";
  back();
  if (!name || (how !== "give" && how !== "only")) return;
  queue = queue
    .then(() => (how === "give" ? VIEWS[shown].give(page, view, name) : page.change("/class", { label: name })))
    .catch(showProblem);
});

function openKeys() {
  const lines = [
    ...view.classes.filter((one) => one.key).map((one) => [one.key, one.name]),
    ["n", "a new class, typed"],
    ["⏎", "accept: the guess, the group, the chosen rows, the label as it is"],
    ["space", "skip: the row, the group, the finding; choose none on the map"],
    ["⌫", "take back the last step, as often as you like"],
    ["⇧ ⏎", "on the map: ask me the chosen rows"],
    ["← →", "the view before, the next view"],
    ["Ctrl S", "save the table"],
    ["?", "these keys"],
  ];
  $("keys-list").replaceChildren(...lines.map(([key, what]) => el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, what))));
  $("keys").showModal();
}

// ---------------------------------------------------------------- the frame

async function save() {
  try {
    const result = await change("/save");
    notice(`Saved as ${result.saved}.`);
  } catch (problem) {
    showProblem(problem);
  }
}

$("undo").addEventListener("click", () => page.key("Backspace"));
$("save").addEventListener("click", () => save());
$("help").addEventListener("click", () => openKeys());

// after a click Enter and space are keys of the page again; who pressed a button by keyboard stays on it
document.addEventListener("click", (event) => {
  if (event.detail > 0 && event.target.closest("button") && !document.querySelector("dialog[open]")) back();
});

async function poll() {
  try {
    const newest = await look(`/view?since=${view ? view.version : 0}`);
    if (newest) {
      queue = queue.then(async () => {
        if (view && newest.version <= view.version) return;
        view = newest;
        if (!VIEWS[shown].held?.()) await page.draw();
      });
      await queue;
    }
    $("alone").hidden = true;
  } catch (problem) {
    $("alone").textContent = problem instanceof Refusal ? problem.message
      : "The program has ended or does not answer. Nothing that was decided is lost: start it again to go on.";
    $("alone").hidden = false;
  }
  setTimeout(poll, POLL);
}

poll();
