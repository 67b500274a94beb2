// Results of any kind, as the data of a page lists them: words, tiles, figures, tables.

const shownCell = (cell) => (cell === null || cell === undefined ? "–" : typeof cell === "object" ? cell.text : typeof cell === "number" ? digits(cell, 4) : cell);
const sortedBy = (cell) => (cell === null || cell === undefined ? null : typeof cell === "object" ? cell.value ?? null : cell);

// Less, equal or more, by a column in a direction; what has no value stands last both ways.
function compared(x, y, sign) {
  if (x === null || y === null || x === undefined || y === undefined) return ((x ?? null) === null) - ((y ?? null) === null);
  return (x < y ? -1 : x > y ? 1 : 0) * sign;
}

const LONG = 30; // rows beyond which a table scrolls in a box of its own

// A table that can be sorted, copied and saved. Cells: text, a number, or {text, value, mark}.
class ResultTable {
  constructor({ id, title, note, file, heads, rows }) {
    Object.assign(this, { heads, rows, by: null, down: true });
    this.number = heads.map((_, at) => at > 0 && rows.some((row) => typeof sortedBy(row[at]) === "number"));
    this.table = make("table", { id });
    const save = (kind) => () => download(`${file}.${kind}`, TABLE_TYPES[kind], this.asText(kind));
    this.element = make("div", { class: "result" },
      make("div", { class: "bar" }, title && make("h3", {}, title), make("span", { class: "push" }),
        make("button", { class: "small", onclick: (e) => copy(this.asText("tsv"), e.target), "aria-label": `copy ${file}` }, "Copy"),
        make("button", { class: "small", onclick: save("tsv"), "aria-label": `save as TSV: ${file}` }, "TSV"),
        make("button", { class: "small", onclick: save("csv"), "aria-label": `save as CSV: ${file}` }, "CSV")),
      note && make("p", { class: "soft" }, note), make("div", { class: "wide" + (rows.length > LONG ? " tall" : ""), tabindex: 0, role: "region", "aria-label": title || file }, this.table));
    this.show();
  }

  // Down, up, and as it was.
  sort(at) {
    const first = this.number[at];
    if (this.by !== at) [this.by, this.down] = [at, first];
    else if (this.down === first) this.down = !first;
    else this.by = null;
    this.show();
  }

  ordered() {
    if (this.by === null) return this.rows;
    const sign = this.down ? -1 : 1;
    return [...this.rows].sort((a, b) => compared(sortedBy(a[this.by]), sortedBy(b[this.by]), sign));
  }

  show() {
    const sign = (at) => (this.by !== at ? "" : this.down ? " ▼" : " ▲");
    const state = (at) => (this.by !== at ? "none" : this.down ? "descending" : "ascending");
    const head = this.heads.map((name, at) => make("th", { scope: "col", class: this.number[at] ? "number" : "", "aria-sort": state(at) }, make("button", { onclick: () => this.sort(at) }, name + sign(at))));
    const lines = this.ordered().map((row) => make("tr", {}, row.map((cell, at) => this.cell(cell, at))));
    this.table.replaceChildren(make("thead", {}, make("tr", {}, head)), make("tbody", {}, lines));
  }

  cell(cell, at) {
    const text = shownCell(cell), mark = cell && cell.mark;
    const inside = mark === "best" ? make("b", {}, text + " *") : mark === "level" ? make("i", {}, text) : text;
    return at === 0 ? make("th", { scope: "row" }, inside) : make("td", { class: this.number[at] ? "number" : "" }, inside);
  }

  asText(kind) {
    return delimited([this.heads, ...this.ordered()], kind, shownCell);
  }
}

const FIGURES = {
  lines: (one) => chart({ ...one, label: one.title, height: one.height || 320 }),
  bars: (one) => bars(one.items, one.title),
  ranks: (one) => ranks({ ...one, label: one.title }),
};

function drawn(one) {
  return figure(one.title, one.note, FIGURES[one.kind || "lines"](one), one.file);
}

// Tables of one kind, one at a time; on paper all of them.
function choiceOf(label, tables) {
  const shown = tables.map((one) => make("div", { class: "choice" }, new ResultTable(one).element));
  const choose = (at) => shown.forEach((one, n) => (one.hidden = n !== at));
  choose(0);
  const list = make("select", { onchange: (e) => choose(e.target.selectedIndex) }, tables.map((one) => make("option", {}, one.title)));
  return [make("div", { class: "bar" }, make("label", {}, label + " ", list)), ...shown];
}

function resultSection(part) {
  const tables = part.tables || [];
  const shown = part.choose && tables.length > 1 ? choiceOf(part.choose, tables) : tables.map((one) => new ResultTable(one).element);
  const figures = part.figures && part.figures.length ? [make("div", { class: "charts" }, part.figures.map(drawn))] : [];
  return section(part.id, part.title, (part.words || []).map((line) => make("p", { class: "soft" }, line)),
    part.tiles ? make("div", { class: "tiles" }, part.tiles.map(([value, what]) => tile(value, what))) : null,
    part.command ? make("pre", {}, part.command) : null,
    ...(part.tables_first ? [...shown, ...figures] : [...figures, ...shown]));
}

// The list of links: sorted, filtered, cut and paged; what is shown can be copied and saved.

const PAGES = [20, 50, 200];
const WORDS = {
  rank: "rank", source: "source", target: "target", probability: "probability", score: "score",
  probability_low: "at least", probability_high: "at most",
  degree_source: "links of source", degree_target: "links of target", paths2: "paths of 2", paths3: "paths of 3",
  shared_partners: "shared partners", rank_by_degree: "rank by degree", prior_share: "share of prior", spread: "spread",
  expected_hits_cumulative: "expected real so far",
};
const MEANS = {
  probability: "probability that the link is real, estimated from edges that were hidden",
  probability_low: "lower end of the 90 % interval of the probability", probability_high: "upper end of the 90 % interval of the probability",
  score: "higher is likelier; only the order means something",
  degree_source: "observed links of the first node", degree_target: "observed links of the second node",
  paths2: "partners both nodes share", paths3: "paths of three observed links between them",
  rank_by_degree: "its place if pairs were ranked by the product of their degrees alone",
  prior_share: "how much of the score is the degree prior's", spread: "sd of the score over resampled networks",
  expected_hits_cumulative: "how many of the links up to here to expect to be real",
};
// Those that come first, in this order; the rest stay as they are.
const FIRST = ["probability", "probability_low", "probability_high", "score"];
const LESS = new Set(["probability_low", "probability_high", "degree_source", "degree_target", "rank_by_degree", "prior_share", "expected_hits_cumulative", "spread", "paths2"]);

class LinkTable {
  constructor(links, names, observed, onChoose) {
    this.observed = observed; // ends of observed links, two by two
    this.links = links;
    this.names = names;
    this.onChoose = onChoose;
    this.columns = ["rank", "source", "target", ...FIRST.filter((c) => links.columns[c]),
      ...Object.keys(links.columns).filter((c) => !FIRST.includes(c))];
    this.n = links.source.length;
    this.cut = this.n;
    this.by = "rank";
    this.down = false;
    this.text = "";
    this.node = null;
    this.page = 0;
    this.height = PAGES[0];
    this.element = make("div", {}, this.bar(), make("div", { class: "wide" }, (this.body = make("table", { id: "links" }))), (this.pager = make("div", { class: "bar" })));
    this.show();
  }

  bar() {
    const find = make("input", { type: "search", id: "filter", placeholder: "part of a name", size: 18, oninput: (e) => this.change({ text: e.target.value.toLowerCase(), page: 0 }) });
    this.count = make("span", { class: "soft", id: "shown", "aria-live": "polite" });
    this.all = make("button", { class: "small", id: "all-links", onclick: () => this.onAll() }, "show all links");
    const save = (kind) => () => download(`links.${kind}`, TABLE_TYPES[kind], this.asText(kind));
    return make("div", { class: "bar" }, make("label", {}, "Find ", find), this.count, this.all, make("span", { class: "push" }),
      make("button", { onclick: (e) => copy(this.asText("tsv"), e.target) }, "Copy"),
      make("button", { id: "tsv", onclick: save("tsv") }, "Save TSV"), make("button", { id: "csv", onclick: save("csv") }, "Save CSV"),
      make("button", { id: "graphml", title: "predicted links with the observed ones around them, for Cytoscape and others", onclick: () => this.saveGraphml() }, "Save GraphML"));
  }

  saveGraphml() {
    download("links.graphml", "application/xml", this.asGraphml());
  }

  // Whoever chose a node for the table may want to know that all are shown again.
  onAll() {
    this.change({ node: null, page: 0 });
  }

  change(what) {
    Object.assign(this, what);
    this.show();
  }

  value(row, column) {
    if (column === "rank") return row + 1;
    if (column === "source" || column === "target") return this.names[this.links[column][row]];
    return this.links.columns[column][row];
  }

  rows() {
    const { source, target } = this.links;
    const found = [];
    for (let row = 0; row < Math.min(this.n, this.cut); row++) {
      if (this.node !== null && source[row] !== this.node && target[row] !== this.node) continue;
      if (this.text && !this.names[source[row]].toLowerCase().includes(this.text) && !this.names[target[row]].toLowerCase().includes(this.text)) continue;
      found.push(row);
    }
    if (this.by === "rank") return this.down ? found.reverse() : found;
    const sign = this.down ? -1 : 1;
    return found.sort((a, b) => compared(this.value(a, this.by), this.value(b, this.by), sign) || a - b);
  }

  show() {
    const rows = this.rows(), pages = Math.max(1, Math.ceil(rows.length / this.height));
    this.page = Math.min(this.page, pages - 1);
    const some = rows.slice(this.page * this.height, (this.page + 1) * this.height);
    this.body.replaceChildren(this.head(), make("tbody", {}, some.map((row) => this.line(row))));
    const node = this.node === null ? "" : ` of ${this.names[this.node]}`;
    this.count.textContent = `${grouped(rows.length)} link${rows.length === 1 ? "" : "s"}${node}`;
    this.all.hidden = this.node === null;
    const go = (page, text) => make("button", { disabled: page < 0 || page >= pages, onclick: () => this.change({ page }) }, text);
    this.pager.replaceChildren(go(this.page - 1, "‹ earlier"), make("span", {}, `page ${this.page + 1} of ${pages}`), go(this.page + 1, "later ›"),
      make("label", {}, "rows ", make("select", { id: "rows", onchange: (e) => this.change({ height: Number(e.target.value), page: 0 }) }, PAGES.map((n) => make("option", { value: n, selected: n === this.height }, String(n))))));
  }

  head() {
    const cell = (column) => {
      const sorted = this.by === column ? (this.down ? "descending" : "ascending") : "none";
      const sign = this.by === column ? (this.down ? " ▼" : " ▲") : "";
      const flip = () => this.change({ by: column, down: this.by === column ? !this.down : !["rank", "source", "target"].includes(column), page: 0 });
      return make("th", { scope: "col", "aria-sort": sorted, class: this.kind(column) + (LESS.has(column) ? " less" : ""), title: MEANS[column] },
        make("button", { "data-column": column, onclick: flip }, (WORDS[column] || column) + sign));
    };
    return make("thead", {}, make("tr", {}, this.columns.map(cell)));
  }

  kind(column) {
    if (column === "source" || column === "target") return "name";
    return column === "shared_partners" || typeof this.value(0, column) === "string" ? "" : "number";
  }

  line(row) {
    return make("tr", { "data-rank": row + 1 }, this.columns.map((column) => {
      const value = this.value(row, column), less = LESS.has(column) ? " less" : "";
      if (column === "source" || column === "target")
        return make("td", { class: "name" }, make("button", { title: "show its neighbourhood", onclick: () => this.onChoose(this.links[column][row]) }, value));
      if (column === "probability")
        return make("td", { class: "number" }, make("span", { class: "likely less", style: `width:${Math.max(1, 40 * value)}px` }), percent(value));
      if (column.startsWith("probability_")) return make("td", { class: "number less" }, percent(value));
      if (column === "shared_partners") return make("td", { class: "less partners", title: value }, String(value).split(";").join(", "));
      return make("td", { class: this.kind(column) + less }, typeof value === "string" ? value : digits(value, 4));
    }));
  }

  // Predicted links shown, and observed ones between their nodes.
  asGraphml() {
    const rows = this.rows(), nodes = new Set(rows.flatMap((row) => [this.links.source[row], this.links.target[row]]));
    const keys = ["score", ...(this.links.columns.probability ? ["probability"] : [])];
    const key = (name, of, type) => `<key id="${name}" for="${of}" attr.name="${name}" attr.type="${type}"/>`;
    const edge = (a, b, kind, more) => `<edge source="n${a}" target="n${b}"><data key="kind">${kind}</data>${more}</edge>`;
    const predicted = rows.map((row) => edge(this.links.source[row], this.links.target[row], "predicted",
      `<data key="rank">${row + 1}</data>` + keys.filter((name) => this.links.columns[name][row] !== null).map((name) => `<data key="${name}">${this.links.columns[name][row]}</data>`).join("")));
    const observed = [];
    for (let e = 0; e < this.observed.length; e += 2)
      if (nodes.has(this.observed[e]) && nodes.has(this.observed[e + 1])) observed.push(edge(this.observed[e], this.observed[e + 1], "observed", ""));
    return ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">', key("name", "node", "string"), key("kind", "edge", "string"), key("rank", "edge", "int"),
      ...keys.map((name) => key(name, "edge", "double")), '<graph edgedefault="undirected">',
      ...[...nodes].map((node) => `<node id="n${node}"><data key="name">${xmlText(this.names[node])}</data></node>`), ...predicted, ...observed, "</graph>", "</graphml>", ""].join("\n");
  }

  asText(kind) {
    const order = ["rank", "source", "target", "score", ...this.columns.filter((c) => !["rank", "source", "target", "score"].includes(c))];
    return delimited([order, ...this.rows().map((row) => order.map((column) => this.value(row, column)))], kind);
  }
}
