// Asking the server. A refusal is an Error whose message is the server's own line.

const PLACE = new URL(".", location.href);

async function ask(method, path, body, type) {
  let answer;
  try {
    answer = await fetch(new URL(path, PLACE), { method, body, headers: type ? { "Content-Type": type } : {} });
  } catch {
    throw new Error("The connection was lost on the way. Is the server still running? Try again.");
  }
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  throw new Error(await lineOf(answer));
}

async function lineOf(answer) {
  try {
    return (await answer.json()).error;
  } catch {
    return answer.status === 404 ? "This server is not the one this page came from: see the terminal for the address." : `The server refused it (${answer.status}).`;
  }
}

const sendJson = (path, data) => ask("POST", path, JSON.stringify(data), "application/json");
const sendFile = (file) => ask("POST", "networks?name=" + encodeURIComponent(file.name), file, "application/octet-stream");

// A capital and a full stop; a line that begins with a file's name keeps it as it is.
const sentence = (line) => (/^[a-z-]+[ ,;]/.test(line) ? line.charAt(0).toUpperCase() + line.slice(1) : line) + (/[.!?]$/.test(line) ? "" : ".");

function sizeWords(size) {
  for (const unit of ["B", "kB", "MB"]) {
    if (size < 1000) return `${Number(size.toPrecision(3))} ${unit}`;
    size /= 1000;
  }
  return `${Number(size.toPrecision(3))} GB`;
}

function clock(seconds) {
  const all = Math.max(0, Math.round(seconds)), two = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor(all / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`;
}

// Changes what is shown only where it differs, so that focus and selections stay.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Keeps one card per item, in the order of the items; made once, updated in place.
class Cards {
  constructor(place, kind) {
    this.place = place;
    this.kind = kind;
    this.cards = new Map();
  }

  update(items) {
    const there = new Set(items.map((item) => item.id));
    for (const [id, card] of this.cards) {
      if (there.has(id)) continue;
      card.element.remove();
      this.cards.delete(id);
    }
    items.forEach((item, at) => {
      if (!this.cards.has(item.id)) this.cards.set(item.id, new this.kind(item));
      const card = this.cards.get(item.id);
      if (this.place.children[at] !== card.element) this.place.insertBefore(card.element, this.place.children[at] || null);
      card.update(item);
    });
  }
}
