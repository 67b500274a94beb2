// The report: every section is made from the data of the page, in the order people ask.

function tile(value, what) {
  return make("div", { class: "tile" }, make("b", {}, value), make("span", {}, what));
}

function facts(pairs) {
  return make("dl", {}, pairs.flatMap(([what, value]) => [make("dt", {}, what), make("dd", {}, value)]));
}

function section(id, title, ...inside) {
  return make("section", { id, "aria-labelledby": id + "-title" }, make("h2", { id: id + "-title" }, title), ...inside.flat());
}

// What people come for, in one glance: one node's links, how many are real, the file for Cytoscape.
function startSection(data, table, best) {
  const n = data.links.source.length, k = Math.min(100, n);
  const field = make("input", { id: "ask", list: "nodes", placeholder: "name of a node", "aria-label": "name of a node" });
  const message = make("p", { class: "soft", id: "asked", "aria-live": "polite" });
  const ask = () => (message.textContent = field.value ? best(field.value) : "");
  field.addEventListener("change", ask);
  const card = (title, ...inside) => make("div", { class: "tile start" }, make("h3", {}, title), ...inside);
  const expected = data.yield
    ? [make("b", { id: "top-yield" }, `about ${about(yieldAt(data, "mean", k))} of ${k}`), make("p", { class: "soft" }, `${about(yieldAt(data, "low", k))} to ${about(yieldAt(data, "high", k))} (90 % interval), ${data.yield_assumption || "by edges hidden from the network"}`)]
    : [make("p", { id: "top-yield" }, "This model ranks links and gives no probabilities."), make("p", { class: "soft" }, data.model === "auto" ? "“About this prediction” says why." : "linkprior predict --model auto does.")];
  return make("div", { class: "tiles starts noprint" },
    card("The best links of one node", make("div", { class: "query" }, field, make("button", { id: "ask-go", onclick: ask }, "Show")), message),
    card(`How many of the best ${k} are real?`, ...expected),
    card("Open it in Cytoscape", make("button", { class: "main", id: "cytoscape", onclick: () => table.saveGraphml() }, "Save for Cytoscape"), make("p", { class: "soft" }, "then File › Import › Network from File: links.graphml")));
}

function linksSection(data, choose, best) {
  const table = new LinkTable(data.links, data.names, data.graph.edges, choose);
  const parts = [];
  const n = data.links.source.length;
  if (n) parts.push(startSection(data, table, best));
  else parts.push(make("p", { class: "note", id: "no-links" }, "No link is predicted: no pair was left to choose from."));
  if (data.words.length) parts.push(make("details", {}, make("summary", {}, "About this prediction"), data.words.map((line) => make("p", {}, line))));
  const output = make("output", { id: "cut-result", for: "cut" });
  const describe = (k) => {
    const rows = `Best ${grouped(k)} of ${grouped(n)} links`;
    if (!data.yield) return rows;
    const [mean, low, high] = ["mean", "low", "high"].map((key) => yieldAt(data, key, k));
    return `${rows}: about ${about(mean)} of them (${about(low)}–${about(high)}) expected to be real`;
  };
  const slider = make("input", { type: "range", id: "cut", min: 1, max: n, value: n, "aria-label": "how many of the best links", oninput: (e) => {
    const k = Number(e.target.value);
    output.textContent = describe(k);
    table.change({ cut: k, page: 0 });
  } });
  output.textContent = describe(n);
  if (n > 1) parts.push(make("div", { class: "cut" }, make("label", { for: "cut" }, "How many to test? Move the cut-off."), slider, output));
  parts.push(table.element);
  return [section("links", "Predicted links", ...parts), table];
}

const yieldAt = (data, key, k) => between(data.yield.k, data.yield[key], k);

// The curve at x, straight between its points: those of a long list are far apart.
function between(xs, ys, x) {
  const after = xs.findIndex((one) => one >= x);
  if (after <= 0) return ys[after < 0 ? ys.length - 1 : 0];
  const part = (x - xs[after - 1]) / (xs[after] - xs[after - 1]);
  return ys[after - 1] + part * (ys[after] - ys[after - 1]);
}

function yieldSection(data) {
  const y = data.yield;
  const svg = chart({
    lines: [{ name: "expected real", x: y.k, y: y.mean, low: y.low, high: y.high }],
    x: { name: "best links taken" , from: 0 }, y: { name: "expected to be real", from: 0 }, width: 900, height: 320, label: "how many of the best links to expect to be real",
  });
  return section("yield", "How many to expect to be real",
    make("p", { class: "soft" }, data.yield_words),
    figure("Expected yield of the list", "The band is the 90 % interval.", svg, "expected_yield"));
}

function networkSection(data) {
  const n = data.network;
  const lines = [["observed links", n.degrees], ["the prior's degrees", n.prior]].map(([name, { value, nodes }]) => ({ name, x: value, y: nodes, points: true }));
  const svg = chart({ lines, x: { name: "degree", log: true }, y: { name: "nodes", log: true }, label: "degree distribution" });
  return section("network", "The network at a glance",
    make("div", { class: "tiles" }, tile(grouped(n.nodes), "nodes"), tile(grouped(n.edges), "observed links"), tile(grouped(n.components), `component${n.components === 1 ? "" : "s"}, the largest of ${grouped(n.largest)} nodes`),
      tile(digits(n.mean), "mean degree"), tile(grouped(n.most), `largest degree, of ${n.hub}`), tile(grouped(n.isolated), "nodes without a link, left out")),
    n.notes.length ? make("div", { class: "note" }, n.notes.map((line) => make("p", {}, line))) : null,
    make("div", { class: "charts" }, figure("Degree distribution", "How many nodes have each degree; above ten, the mean over a bin of degrees.", svg, "degrees"),
      data.importance ? figure("Feature importance", "Share of each model in what tells pairs apart.", bars(data.importance, "share of each model"), "models") : null));
}

// The node a reader means: by its name, in any case, or by part of it where only one has that.
function meant(names, nodes, text) {
  const exact = nodes.find((node) => names[node] === text), asked = text.trim().toLowerCase();
  if (exact !== undefined || !asked) return exact;
  const same = nodes.find((node) => names[node].toLowerCase() === asked);
  const some = nodes.filter((node) => names[node].toLowerCase().includes(asked));
  return same ?? (some.length === 1 ? some[0] : undefined);
}

const FEW = 10; // links of one node that a reader may have come for

function graphSection(data) {
  const names = data.names, every = names.map((_, node) => node);
  const message = make("p", { id: "graph-message", "aria-live": "polite" });
  const field = make("input", { id: "node", list: "nodes", placeholder: "name of a node", size: 22 });
  const list = make("datalist", { id: "nodes" }, data.graph.ends.slice(0, 3000).map((node) => make("option", { value: names[node] })));
  const graph = new Graph(data.graph, names, data.links, (node) => choose(node));
  let table = null;
  const top = () => {
    const shown = graph.showTop(50);
    field.value = "";
    message.textContent = `The best ${shown} predicted links, and observed ones around them. Click a node to see its neighbourhood.`;
    if (table) table.change({ node: null, page: 0 });
  };
  const show = (node) => {
    const found = graph.showNode(node);
    field.value = names[node];
    message.textContent = `${names[node]}: ${grouped(found.observed)} observed link${found.observed === 1 ? "" : "s"}, ${grouped(found.predicted)} predicted in this list (outer ring${found.drawn < found.predicted ? `: the best ${found.drawn}` : ""}). The table shows its links only.`;
    if (table) table.change({ node, text: "", by: "rank", down: false, page: 0 });
    return found;
  };
  const choose = (node) => {
    show(node);
    field.scrollIntoView({ block: "nearest" });
  };
  const alone = "predict again with --node NAME, or in the explorer with “Partners of one node only”";
  const missing = (name) => `No link of ${name} is in this list. For its own list, ${alone}.`;
  const byName = () => {
    const node = meant(names, every, field.value);
    if (node !== undefined) choose(node);
    else message.textContent = missing(field.value);
  };
  // For who asks above the table: its rows are the answer, so nothing scrolls away.
  const best = (name) => {
    const node = meant(names, data.graph.ends, name) ?? meant(names, every, name);
    if (node === undefined) return missing(name);
    const { predicted, observed } = show(node);
    if (!predicted) return missing(names[node]);
    const few = predicted < Math.min(FEW, data.links.source.length) ? ` For more of its own, ${alone}.` : "";
    return `${names[node]}: ${grouped(predicted)} predicted, in the table below and drawn under “Who links to whom”; ${grouped(observed)} observed.${few}`;
  };
  field.addEventListener("change", byName);
  field.addEventListener("keydown", (e) => { if (e.key === "Enter") byName(); });
  const shown = section("graph-section", "Who links to whom",
    make("div", { class: "bar" }, make("label", {}, "Node ", field), list, make("button", { id: "top-links", onclick: top }, "Best links"),
      make("button", { onclick: () => graph.zoom(1.3), "aria-label": "closer" }, "+"), make("button", { onclick: () => graph.zoom(1 / 1.3), "aria-label": "farther" }, "−"),
      pictureButtons(() => graph.svg, "network")),
    make("div", { class: "legend" }, make("span", {}, "observed"), make("span", { class: "p" }, "predicted")),
    make("a", { class: "skip", href: "#graph-message" }, "skip the drawing"), graph.element, message);
  return { shown, choose, top, best, listen: (one) => { table = one; table.onAll = top; } };
}

function evaluationSection(data) {
  const e = data.evaluation;
  const cell = (row, metric) => {
    const value = row.values[metric];
    if (!value) return null;
    return { text: digits(value.mean) + (value.sd ? ` ± ${digits(value.sd, 2)}` : ""), value: value.mean, mark: e.best[metric] === row.model ? "best" : undefined };
  };
  const rows = e.rows.map((row) => [row.model, ...e.metrics.map((metric) => cell(row, metric))]);
  const table = new ResultTable({ id: "comparison", file: "comparison", heads: ["model", ...e.metrics], rows });
  return section("evaluation", "How the models compare", e.words.map((line) => make("p", { class: "soft" }, line)),
    table.element, make("div", { class: "charts" }, e.curves.map((one) => drawn({ ...one, height: 340 }))));
}

function aboutSection(data) {
  const a = data.about;
  return section("about", "How this was made", facts(a.facts),
    a.command ? [make("h3", {}, "Command"), make("pre", {}, a.command)] : null,
    a.parameters && a.parameters.length ? [make("h3", {}, "Parameters"), facts(a.parameters)] : null,
    make("h3", {}, "Versions"), facts(a.versions), make("h3", {}, "Please cite"), make("pre", {}, a.citation));
}

function render(data, place) {
  const parts = [];
  let table = null, graph = null;
  if (data.links) {
    graph = graphSection(data);
    const [shown, made] = linksSection(data, (node) => graph.choose(node), (name) => graph.best(name));
    table = made;
    graph.listen(table);
    parts.push(["links", "Links", shown]);
    if (data.yield) parts.push(["yield", "Yield", yieldSection(data)]);
    if (data.links.source.length) parts.push(["graph-section", "Neighbourhoods", graph.shown]);
  }
  if (data.network) parts.push(["network", "Network", networkSection(data)]);
  if (data.evaluation) parts.push(["evaluation", "Models", evaluationSection(data)]);
  for (const part of data.parts || []) parts.push([part.id, part.nav, resultSection(part)]);
  if (data.about) parts.push(["about", "About", aboutSection(data)]);
  place.replaceChildren(
    make("header", { class: "top" }, make("h1", {}, data.title), make("p", { class: "soft" }, data.subtitle)),
    make("nav", { "aria-label": "sections" }, parts.map(([id, name]) => make("a", { href: "#" + id }, name))),
    ...parts.map((one) => one[2]));
  if (graph) graph.top();
}

const given = document.getElementById("data");
if (given) render(JSON.parse(given.textContent), document.querySelector("main"));
