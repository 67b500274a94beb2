// Opening a network: drop or choose a file, see what was read of it.

class DropZone {
  constructor(limit) {
    this.limit = limit;
    this.input = make("input", { type: "file", id: "file", onchange: () => this.take(this.input.files[0]) });
    this.said = make("p", { id: "upload-said", role: "status", class: "soft" });
    this.wrong = make("p", { id: "upload-wrong", role: "alert", class: "wrong", hidden: true });
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
    this.element = make("div", {}, this.zone, this.said, this.wrong);
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
    this.said.textContent = `Taking in ${file.name} …`;
    try {
      chosen.network = (await sendFile(file)).id;
      chosen.show();
    } catch (problem) {
      this.refuse(`${file.name}: ${problem.message}`);
    }
    this.said.textContent = "";
    this.input.value = "";
  }

  refuse(line) {
    this.wrong.hidden = false;
    this.wrong.textContent = sentence(line);
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
    this.wrong = make("p", { class: "wrong", role: "alert", hidden: true });
    this.about = make("div", {});
    const remove = make("button", { class: "small", "aria-label": `close ${network.name}`, onclick: () => this.remove() }, "Close");
    this.element = make("div", { class: "card network", "data-id": network.id },
      make("div", { class: "head" }, make("h3", {}, network.name), make("span", {}, this.pick, " ", remove)), this.wrong, this.about);
  }

  update(network) {
    if (network.state === this.state) return;
    this.state = network.state;
    if (network.state === "refused") this.fail(network.error);
    const parts = { reading: () => [make("p", { class: "soft" }, `Reading ${sizeWords(network.size)} …`), make("progress", {})], ready: () => this.report(network.report), refused: () => [] };
    this.about.replaceChildren(...parts[network.state]());
  }

  report(r) {
    const tile = (value, what) => make("div", { class: "tile" }, make("b", {}, value), make("span", {}, what));
    const loud = r.lines.filter((line) => /^(Warning|Note):/.test(line)), rest = r.lines.filter((line) => !loud.includes(line));
    return [make("p", {}, sentence(r.kind)),
      make("div", { class: "tiles" }, tile(grouped(r.nodes), "nodes"), tile(grouped(r.edges), "edges"),
        tile(digits(r.mean_degree), "edges per node on average"), tile(grouped(r.max_degree), `edges of ${r.hub}, the most`),
        tile(grouped(r.components), r.components === 1 ? "part: all nodes are joined" : `parts, the largest of ${grouped(r.largest)} nodes`)),
      loud.length ? make("div", { class: "note" }, loud.map((line) => make("p", {}, line))) : "",
      make("details", {}, make("summary", {}, "What was read and left out"), make("ul", { class: "lines" }, rest.map((line) => make("li", {}, line))))];
  }

  mark(isChosen, only) {
    this.pick.hidden = this.state !== "ready" || only || isChosen;
    this.element.setAttribute("aria-current", String(isChosen));
    this.about.hidden = this.state === "ready" && !isChosen;
  }

  fail(line) {
    this.wrong.hidden = false;
    this.wrong.textContent = sentence(line);
  }

  async remove() {
    try {
      await ask("DELETE", "networks/" + this.id);
    } catch (problem) {
      this.fail(problem.message);
    }
  }
}
