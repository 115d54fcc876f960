// Requests to the one server there is. Looking is GET, changing is POST; a refusal comes with a sentence.

export class Refusal extends Error {
  constructor(why, view) {
    super(why);
    this.view = view;
  }
}

export async function look(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  if (answer.status === 204) return null;
  if (!answer.ok) throw new Refusal((await answer.text()).trim(), null);
  return answer.json();
}

export async function bytes(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  return answer.status === 200 ? answer.arrayBuffer() : null;
}

export async function change(path, body = {}) {
  const answer = await fetch(path, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Refusal(text.trim() || "The program gave no answer.", null);
  }
  if (!answer.ok) throw new Refusal(content.why, content.version === undefined ? null : content);
  return content;
}
