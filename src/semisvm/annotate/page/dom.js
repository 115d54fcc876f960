// Elements from data. Whatever stands in a cell becomes text, never markup.

export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "click") made.addEventListener("click", value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  append(made, children);
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  append(made, children);
  return made;
}

function append(made, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) made.append(child);
  }
}

export const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.0095 ? 1 : 0)} %`;
export const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
export const number = (n) => n.toLocaleString("en");

export function dot(code) {
  return el("span", { class: `dot c${code % 12}`, "aria-hidden": "true" });
}

export function codeOf(view, name) {
  return view.classes.find((one) => one.name === name)?.code ?? 0;
}

export function chip(view, name) {
  return el("span", { class: "chip" }, dot(codeOf(view, name)), name);
}
