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

// A line that says what went wrong, hidden while nothing has.
const wrongLine = (id) => make("p", { id, class: "wrong", role: "alert", hidden: true });

function complain(place, line) {
  place.hidden = false;
  place.textContent = sentence(line);
}

async function attempt(work, place) {
  try {
    await work;
  } catch (problem) {
    complain(place, problem.message);
  }
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

// Opening a network: drop or choose a file, see what was read of it.

class DropZone {
  constructor(limit) {
    this.limit = limit;
    this.input = make("input", { type: "file", id: "file", onchange: () => this.take(this.input.files[0]) });
    this.output = make("p", { id: "upload-message", role: "status", class: "soft" });
    this.wrong = wrongLine("upload-wrong");
    this.zone = make("label", { class: "drop", for: "file" }, make("b", {}, "Choose a network file"), " or drop it here",
      make("p", { class: "soft" }, "Edge list (TSV, CSV), BioGRID, MITAB, STRING, GraphML, GEXF, SIF, CX2, Pajek, METIS, Matrix Market; packed or not, ",
        `up to ${sizeWords(limit).replace(" ", "\u00a0")}. It stays on this computer.`), this.input);
    for (const [name, over] of [["dragenter", true], ["dragover", true], ["dragleave", false], ["drop", false]])
      this.zone.addEventListener(name, (event) => {
        event.preventDefault();
        this.zone.classList.toggle("over", over);
        if (name === "drop") this.drop(event.dataTransfer);
      });
    // A file dropped beside the zone would replace this page.
    for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
    this.element = make("div", {}, this.zone, this.output, this.wrong);
  }

  // A folder comes as a file that nobody can read.
  drop({ files, items }) {
    const entry = items.length && items[0].webkitGetAsEntry ? items[0].webkitGetAsEntry() : null;
    if (files.length > 1 || (entry && entry.isDirectory)) return this.refuse("one file at a time, please, and no folder");
    this.take(files[0]);
  }

  async take(file) {
    this.wrong.hidden = true;
    if (!file) return;
    if (file.size > this.limit) return this.refuse(`${file.name} has ${sizeWords(file.size)}; files up to ${sizeWords(this.limit)} are taken. Pack it (gzip), or start the explorer with a larger --upload-limit.`);
    this.output.textContent = `Taking in ${file.name} …`;
    try {
      chosen.network = (await sendFile(file)).id;
      chosen.show();
    } catch (problem) {
      this.refuse(`${file.name}: ${problem.message}`);
    }
    this.output.textContent = "";
    this.input.value = "";
  }

  refuse(line) {
    complain(this.wrong, line);
    this.input.value = "";
  }
}

// Which network the form is about: the one chosen last, else the newest that is ready.
const chosen = {
  network: null,
  show: () => {},
};

class NetworkCard {
  constructor(network) {
    this.id = network.id;
    this.state = null;
    this.pick = make("button", { class: "small", onclick: () => { chosen.network = this.id; chosen.show(); } }, "Use this one");
    this.wrong = wrongLine();
    this.about = make("div", {});
    const remove = make("button", { class: "small", "aria-label": `close ${network.name}`, onclick: () => attempt(ask("DELETE", "networks/" + this.id), this.wrong) }, "Close");
    this.element = make("div", { class: "card network", "data-id": network.id },
      make("div", { class: "head" }, make("h3", {}, network.name), make("span", {}, this.pick, " ", remove)), this.wrong, this.about);
  }

  update(network) {
    if (network.state === this.state) return;
    this.state = network.state;
    if (network.state === "refused") complain(this.wrong, network.error);
    const parts = { reading: () => [make("p", { class: "soft" }, `Reading ${sizeWords(network.size)} …`), make("progress", {})], ready: () => this.report(network.report), refused: () => [] };
    this.about.replaceChildren(...parts[network.state]());
  }

  report(r) {
    const tile = (value, what) => make("div", { class: "tile" }, make("b", {}, value), make("span", {}, what));
    const loud = r.lines.filter((line) => /^(Warning|Note):/.test(line)), rest = r.lines.filter((line) => !loud.includes(line));
    return [make("p", {}, sentence(r.kind)),
      make("div", { class: "tiles" }, tile(grouped(r.nodes), "nodes"), tile(grouped(r.edges), "edges"),
        tile(digits(r.mean_degree), "mean degree"), tile(grouped(r.max_degree), `largest degree, of ${r.hub}`),
        tile(grouped(r.components), r.components === 1 ? "component: all nodes are connected" : `components, the largest of ${grouped(r.largest)} nodes`)),
      loud.length ? make("div", { class: "note" }, loud.map((line) => make("p", {}, line))) : "",
      make("details", {}, make("summary", {}, "What was read and left out"), make("ul", { class: "lines" }, rest.map((line) => make("li", {}, line))))];
  }

  mark(isChosen, only) {
    this.pick.hidden = this.state !== "ready" || only || isChosen;
    this.element.setAttribute("aria-current", String(isChosen));
    this.about.hidden = this.state === "ready" && !isChosen;
  }
}

// Jobs: ordering one, following it, stopping it, and what comes of it.

class OrderForm {
  constructor(data) {
    this.models = new Map(data.models);
    const field = (label, control, hint) => make("div", {}, make("label", { for: control.id }, label), control, hint || null);
    this.model = make("select", { id: "model", onchange: () => this.explain() },
      data.models.map(([name]) => make("option", { value: name, selected: name === data.model }, name === data.model ? `${name} (recommended)` : name)));
    this.hint = make("span", { class: "hint", id: "model-hint" });
    this.top = make("input", { id: "top", type: "number", min: 1, max: data.most, value: 100, required: true });
    this.effort = make("select", { id: "effort" }, data.efforts.map((name) => make("option", { value: name, selected: name === "normal" }, name)));
    this.node = make("input", { id: "around", placeholder: "all nodes", autocomplete: "off" });
    this.seed = make("input", { id: "seed", type: "number", min: 0, value: 0 });
    this.settings = make("textarea", { id: "settings", rows: 3, placeholder: "rank=30", spellcheck: "false" });
    this.effortField = field("Effort", this.effort, make("span", { class: "hint" }, "seconds, minutes, or as long as it takes"));
    this.about = make("p", { class: "soft", id: "about-order" });
    this.wrong = wrongLine("order-wrong");
    this.start = make("button", { class: "main", id: "start", type: "submit" }, "Predict links");
    this.element = make("form", { onsubmit: (event) => { event.preventDefault(); this.send(); } }, this.about,
      make("div", { class: "form" }, field("Model", this.model, this.hint), field("Number of links", this.top), this.effortField,
        field("Partners of one node only", this.node, make("span", { class: "hint" }, "its name, or leave empty"))),
      make("details", {}, make("summary", {}, "More settings"), make("div", { class: "form" },
        field("Parameters of the model", this.settings, make("span", { class: "hint" }, "name=value, one per line; ", make("code", {}, "linkprior models NAME"), " lists them")),
        field("Seed", this.seed, make("span", { class: "hint" }, "the same seed gives the same list")))),
      make("details", {}, make("summary", {}, "What the models are"), make("dl", {}, data.models.flatMap(([name, summary]) => [make("dt", {}, name), make("dd", {}, summary)]))),
      this.wrong, make("div", { class: "bar" }, this.start));
    this.explain();
  }

  explain() {
    setText(this.hint, this.models.get(this.model.value));
    this.effortField.hidden = this.model.value !== "auto";
  }

  about_network(network) {
    this.network = network;
    this.element.parentNode.hidden = !network;
    if (network) setText(this.about, `Pairs of ${network.name} that are probably linked although no edge is listed, best first.`);
  }

  async send() {
    this.wrong.hidden = true;
    this.start.disabled = true;
    try {
      await sendJson("jobs", { network: this.network.id, model: this.model.value, top: Number(this.top.value), effort: this.model.value === "auto" ? this.effort.value : null,
        node: this.node.value.trim() || null, seed: Number(this.seed.value), settings: this.settings.value.split("\n").filter((line) => line.trim()) });
      document.getElementById("jobs").scrollIntoView({ block: "nearest", behavior: "smooth" });
    } catch (problem) {
      complain(this.wrong, problem.message);
    }
    this.start.disabled = false;
  }
}

const FILE_NAMES = { tsv: "TSV", graphml: "GraphML", cx2: "CX2", log: "Messages" };

class JobCard {
  constructor(job) {
    this.id = job.id;
    this.pill = make("span", { class: "pill" });
    this.bar = make("progress", { max: 1, "aria-label": "progress" });
    this.status = make("p", { class: "soft status", role: "status" });
    this.wrong = wrongLine();
    this.output = make("pre", {});
    this.details = make("details", {}, make("summary", {}, "Messages"), this.output);
    this.buttons = make("div", { class: "bar" });
    this.element = make("div", { class: "card job", "data-id": job.id },
      make("div", { class: "head" }, make("h3", {}, job.title + " ", make("span", { class: "soft" }, job.words)), this.pill),
      this.bar, this.status, this.wrong, this.buttons, this.details);
  }

  update(job) {
    this.element.dataset.state = job.state;
    this.pill.className = "pill " + job.state;
    setText(this.pill, job.state);
    this.bar.hidden = job.state !== "running";
    const fraction = job.progress ? job.progress.fraction : null;
    if (fraction === null) this.bar.removeAttribute("value");
    else this.bar.value = fraction;
    setText(this.status, this.words(job));
    this.status.hidden = !this.status.textContent;
    this.wrong.hidden = !job.error;
    setText(this.wrong, job.error ? sentence(job.error) : "");
    setText(this.output, [job.command.length ? "$ " + job.command.map(quoted).join(" ") : "", ...job.messages].filter(Boolean).join("\n"));
    this.details.hidden = !this.output.textContent;
    this.offer(job);
  }

  words(job) {
    if (job.state === "waiting") return job.ahead ? `Waiting for ${job.ahead} job${job.ahead === 1 ? "" : "s"}.` : "About to start.";
    if (job.state === "stopped") return "Stopped before it was done.";
    if (job.state === "done") return job.seconds === null ? "" : `Took ${clock(job.seconds)}.`;
    if (job.state !== "running") return "";
    const p = job.progress;
    if (!p) return job.messages.length ? "Working …" : "Starting …";
    const parts = [p.fraction === null ? null : `${Math.floor(100 * p.fraction)} %`, `${clock(p.elapsed)} gone`, p.left ? `about ${clock(Math.max(1, p.left))} left` : null];
    return `${p.name}: ${parts.filter(Boolean).join(", ")}`;
  }

  // Buttons are made anew only when others are due: one that has the focus keeps it.
  offer(job) {
    const due = [job.state, ...job.files].join(" ");
    if (due === this.due) return;
    this.due = due;
    const over = !["waiting", "running"].includes(job.state);
    const link = (kind) => make("a", { class: "button", href: `jobs/${job.id}/files/${kind}`, download: true, "data-kind": kind }, FILE_NAMES[kind]);
    this.buttons.replaceChildren(...[
      job.page ? make("a", { class: "button main", href: `jobs/${job.id}/page` }, "Explore the links") : null,
      ...(over && job.files.length ? [make("span", { class: "soft" }, "Download"), ...job.files.map(link)] : []),
      over ? make("button", { class: "push", onclick: () => attempt(ask("DELETE", `jobs/${this.id}`), this.wrong) }, "Remove") : make("button", { onclick: (e) => { e.target.disabled = true; attempt(ask("POST", `jobs/${this.id}/stop`), this.wrong); } }, "Stop"),
    ].filter(Boolean));
  }
}

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);

// The explorer: everything is drawn from the server's state, which comes anew with every change.

const given = JSON.parse(document.getElementById("data").textContent);
const part = (id, title, ...inside) => make("section", { id, "aria-labelledby": id + "-title" }, make("h2", { id: id + "-title" }, title), ...inside);

const lost = make("div", { class: "lost", role: "alert", hidden: true });
const zone = new DropZone(given.limit);
const networkPlace = make("div", {});
const jobPlace = make("div", {});
const form = new OrderForm(given);
const networks = new Cards(networkPlace, NetworkCard);
const jobs = new Cards(jobPlace, JobCard);
const noJobs = make("p", { class: "soft" }, "None yet. Jobs go on when this page is closed, as long as the server runs.");
let state = { networks: [], jobs: [] };

document.querySelector("main").replaceChildren(lost,
  make("header", { class: "top" }, make("h1", {}, "Find missing links"), make("p", { class: "soft" }, `linkprior ${given.version}, on this computer alone. Open a network, choose a model, explore.`)),
  part("open", "Network", zone.element, networkPlace), part("order", "Prediction", form.element), part("jobs", "Jobs", noJobs, jobPlace));

function show() {
  networks.update(state.networks);
  jobs.update(state.jobs);
  const ready = state.networks.filter((one) => one.state === "ready");
  const current = ready.find((one) => one.id === chosen.network) || (state.networks.some((one) => one.id === chosen.network && one.state === "reading") ? null : ready[0]) || null;
  for (const [id, card] of networks.cards) card.mark(current !== null && id === current.id, ready.length < 2);
  form.about_network(current);
  noJobs.hidden = state.jobs.length > 0;
  const running = state.jobs.find((job) => job.state === "running");
  const share = running && running.progress && running.progress.fraction;
  document.title = running ? `${share ? Math.floor(100 * share) + " % · " : "… "}linkprior` : "linkprior";
}
chosen.show = show;

// Server-sent events; the browser connects again by itself, and where it gives up, we do.
let stream = null;
let again = null;

function connect() {
  clearTimeout(again);
  if (stream) stream.close();
  stream = new EventSource(new URL("events", PLACE));
  stream.onopen = () => (lost.hidden = true);
  stream.onmessage = (event) => {
    state = JSON.parse(event.data);
    show();
  };
  stream.onerror = () => {
    lost.textContent = "Connection lost, trying again … Is “linkprior serve” still running in its terminal? A new start has a new address.";
    lost.hidden = false;
    if (stream.readyState === EventSource.CLOSED) again = setTimeout(connect, 2000);
  };
}

// A browser holds few connections to one server: tabs nobody looks at give theirs back.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) return connect();
  clearTimeout(again);
  if (stream) stream.close();
});
connect();
show();
