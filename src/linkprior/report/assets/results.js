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
