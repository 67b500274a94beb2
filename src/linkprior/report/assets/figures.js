// Line and point charts with linear or logarithmic axes, as accessible SVG.

const HUES = ["var(--accent)", "var(--second)", "var(--third)", "var(--fourth)", "var(--fifth)", "var(--sixth)", "var(--ink)"];
const DASHES = ["", "7 4", "2 3", "9 3 2 3"];

function ticks(low, high, log) {
  if (log) {
    const found = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
      for (const m of Math.log10(high / low) < 1.5 ? [1, 2, 5] : [1]) found.push(m * 10 ** e);
    return found.filter((t) => t >= low * 0.999 && t <= high * 1.001);
  }
  const rough = (high - low) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || rough;
  const found = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) found.push(Number(t.toPrecision(12)));
  return found;
}

const LETTER = 6.9; // width of one, about
const clipped = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

// lines: [{name, x, y, low?, high?, points?, labels?}]
function chart({ lines, x, y, width = 520, height = 300, label }) {
  if (isNarrow()) width = 380;
  const left = 62, right = 14, top = 10;
  const column = Math.min(width - left, 44 + LETTER * Math.max(...lines.map((line) => line.name.length)));
  const columns = Math.max(1, Math.floor((width - left) / column)), rows = lines.length > 1 ? Math.ceil(lines.length / columns) : 0;
  height += Math.max(0, rows - 1) * 18; // a long legend takes no room from the drawing
  const bottom = 44 + 18 * rows;
  const every = (key) => lines.flatMap((line) => line[key] || []).filter((v) => v !== null && (v > 0 || !(key === "x" ? x : y).log));
  const range = (axis, key, more = []) => {
    const values = [...every(key), ...more];
    let low = axis.from ?? Math.min(...values), high = axis.to ?? Math.max(...values);
    if (!Number.isFinite(low)) low = axis.log ? 1 : 0; // nothing to show
    if (!Number.isFinite(high)) high = low;
    if (!(high > low)) high = axis.log ? low * 10 : low + 1;
    return [low, high];
  };
  const [x0, x1] = range(x, "x");
  const [y0, y1] = range(y, "y", lines.flatMap((line) => line.high || []));
  const place = (axis, low, high, from, to) => (v) =>
    from + ((axis.log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)) * (to - from));
  const px = place(x, x0, x1, left, width - right), py = place(y, y0, y1, height - bottom, top);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  svg.append(draw("title", {}, label));
  for (const t of ticks(x0, x1, x.log)) {
    svg.append(draw("line", { class: "grid", x1: px(t), x2: px(t), y1: top, y2: height - bottom }));
    svg.append(draw("text", { x: px(t), y: height - bottom + 16, "text-anchor": "middle" }, digits(t)));
  }
  for (const t of ticks(y0, y1, y.log)) {
    svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: py(t), y2: py(t) }));
    svg.append(draw("text", { x: left - 6, y: py(t) + 4, "text-anchor": "end" }, digits(t)));
  }
  svg.append(draw("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }));
  svg.append(draw("text", { x: (left + width - right) / 2, y: height - bottom + 34, "text-anchor": "middle" }, x.name));
  svg.append(draw("text", { transform: `translate(14 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, y.name));
  lines.forEach((line, at) => svg.append(...lineOf(line, at, px, py, x, y)));
  if (rows) lines.forEach((line, at) => svg.append(...legendOf(line, at, left + (at % columns) * column, height - bottom + 52 + 18 * Math.floor(at / columns), column)));
  const named = lines.filter((line) => line.labels);
  if (named.length) svg.append(...labelsOf(named, px, py, width - right));
  return svg;
}

// Names beside points, where they cover no other name or point; those without room have a title.
function labelsOf(lines, px, py, most) {
  const points = lines.flatMap((line) => line.x.map((v, i) => [px(v), py(line.y[i]), line.labels[i]]));
  const taken = points.map(([x, y]) => [x - 4, x + 4, y - 4, y + 4]), shown = [];
  for (const [x, y, name] of points)
    for (const [dx, dy] of [[7, 4], [-7, 4], [7, -6], [7, 14], [-7, -6], [-7, 14], [7, 24], [7, -16], [-7, 24], [-7, -16]]) {
      const wide = LETTER * name.length, from = dx > 0 ? x + dx : x + dx - wide, box = [from, from + wide, y + dy - 10, y + dy + 2];
      if (box[0] < 62 || box[1] > most || !isFree(box, taken)) continue;
      taken.push(box);
      shown.push(draw("text", { x: x + dx, y: y + dy, "text-anchor": dx > 0 ? "start" : "end" }, name));
      break;
    }
  return shown;
}

function lineOf(line, at, px, py, x, y) {
  const hue = HUES[at % HUES.length], dash = DASHES[Math.floor(at / HUES.length) % DASHES.length];
  const shown = line.x.map((v, i) => i).filter((i) => line.y[i] !== null && (!x.log || line.x[i] > 0) && (!y.log || line.y[i] > 0));
  const parts = [];
  if (line.low) {
    const up = shown.map((i) => `${px(line.x[i])} ${py(line.high[i])}`), down = shown.map((i) => `${px(line.x[i])} ${py(line.low[i])}`).reverse();
    parts.push(draw("path", { d: `M${[...up, ...down].join("L")}Z`, style: "fill:var(--band);stroke:none" }));
  }
  if (line.points)
    parts.push(...shown.map((i) => draw("circle", { cx: px(line.x[i]), cy: py(line.y[i]), r: at ? 4.6 : 3.4, style: pointStyle(at, hue) },
      draw("title", {}, `${line.labels ? line.labels[i] : line.name}: ${digits(line.x[i])}, ${digits(line.y[i])}`))));
  else
    parts.push(draw("path", { d: "M" + shown.map((i) => `${px(line.x[i])} ${py(line.y[i])}`).join("L"), style: `fill:none;stroke:${hue};stroke-width:2`, "stroke-dasharray": dash },
      draw("title", {}, line.name)));
  return parts;
}

const pointStyle = (at, hue) => `fill:${at ? "none" : hue};stroke:${hue};stroke-width:1.5`;

function legendOf(line, at, x, y, room) {
  const hue = HUES[at % HUES.length], dash = DASHES[Math.floor(at / HUES.length) % DASHES.length];
  const sign = line.points
    ? draw("circle", { cx: x + 10, cy: y - 4, r: at ? 4.6 : 3.4, style: pointStyle(at, hue) })
    : draw("path", { d: `M${x} ${y - 4}h20`, style: `stroke:${hue};stroke-width:2`, "stroke-dasharray": dash });
  return [sign, draw("text", { x: x + 26, y }, clipped(line.name, Math.floor((room - 30) / LETTER)))];
}

function figure(title, note, svg, name) {
  const shown = make("figure", {}, make("figcaption", {}, make("span", {}, title), pictureButtons(() => shown.querySelector("svg"), name), note && make("small", {}, note)), svg);
  return shown;
}

// Bars with a name on the left.
function bars(items, label) {
  const wide = isNarrow() ? 380 : 520, from = isNarrow() ? 126 : 184, room = wide - from - 66;
  const height = 24 * items.length + 8, most = Math.max(...items.map((one) => one.value), 1e-12);
  const svg = draw("svg", { viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": label });
  items.forEach((one, at) => {
    svg.append(draw("text", { x: from - 8, y: 24 * at + 19, "text-anchor": "end" }, clipped(one.name, Math.floor((from - 8) / LETTER))));
    svg.append(draw("rect", { x: from, y: 24 * at + 7, height: 16, width: Math.max(1, (room * one.value) / most), style: "fill:var(--accent)" }));
    svg.append(draw("text", { x: from + 6 + (room * one.value) / most, y: 24 * at + 19 }, one.text));
  });
  return svg;
}

// A point for each name, best first; who is in the band does not differ from the best beyond noise.
function ranks({ items, band, name, label }) {
  const wide = isNarrow() ? 380 : 620, from = 128, right = 16, step = 20, height = step * items.length + 52;
  const most = Math.max(...items.map((one) => one.value), band), px = (v) => from + ((v - 1) / (most - 1 || 1)) * (wide - from - right);
  const svg = draw("svg", { viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": label });
  svg.append(draw("title", {}, label));
  svg.append(draw("rect", { x: px(items[0].value), y: 4, width: Math.max(0, px(band) - px(items[0].value)), height: height - 48, style: "fill:var(--band)" }));
  for (const t of ticks(1, most, false)) {
    svg.append(draw("line", { class: "grid", x1: px(t), x2: px(t), y1: 4, y2: height - 44 }));
    svg.append(draw("text", { x: px(t), y: height - 26, "text-anchor": "middle" }, digits(t)));
  }
  items.forEach((one, at) => {
    const y = step * at + 16, hue = one.own ? "var(--second)" : "var(--accent)";
    svg.append(draw("text", { x: from - 8, y: y + 4, "text-anchor": "end", style: one.own ? "font-weight:600" : "" }, clipped(one.name, 17)));
    svg.append(draw("line", { class: "grid", x1: from, x2: px(one.value), y1: y, y2: y }));
    svg.append(draw("circle", { cx: px(one.value), cy: y, r: 5, style: `fill:${hue}` }, draw("title", {}, `${one.name}: ${one.value.toFixed(2)}`)));
  });
  svg.append(draw("text", { x: (from + wide - right) / 2, y: height - 6, "text-anchor": "middle" }, name));
  return svg;
}

// The network around the best links, or around one node: observed and predicted links told apart.

const MOST_NODES = 500, HIGH = 560;

class Graph {
  constructor(data, names, links, onChoose) {
    this.names = names;
    this.links = links;
    this.onChoose = onChoose;
    this.places = new Map(data.nodes.map((node, at) => [node, [data.x[at], data.y[at]]]));
    this.neighbours = new Map();
    for (let e = 0; e < data.edges.length; e += 2) {
      this.beside(data.edges[e], data.edges[e + 1]);
      this.beside(data.edges[e + 1], data.edges[e]);
    }
    this.degree = data.degree;
    this.wide = isNarrow() ? 440 : 900;
    this.ring = isNarrow() ? 18 : 36; // partners a ring has room for
    this.svg = draw("svg", { viewBox: `0 0 ${this.wide} ${HIGH}`, role: "img", tabindex: 0, "aria-label": "network of observed and predicted links" });
    this.element = make("div", { class: "graph", id: "graph" }, this.svg);
    this.view = { x: 0, y: 0, size: 1 };
    this.listen();
  }

  beside(a, b) {
    if (!this.neighbours.has(a)) this.neighbours.set(a, new Set());
    this.neighbours.get(a).add(b);
  }

  // The best links, as many as their ends have places: Python laid them out.
  showTop(count) {
    const nodes = new Set(), predicted = [];
    for (let row = 0; row < Math.min(count, this.links.source.length); row++) {
      const [a, b] = [this.links.source[row], this.links.target[row]];
      if (!this.places.has(a) || !this.places.has(b)) break;
      nodes.add(a).add(b);
      predicted.push([a, b, row]);
    }
    for (const node of this.between(nodes)) if (nodes.size < MOST_NODES && this.places.has(node)) nodes.add(node);
    this.draw(nodes, new Map([...nodes].map((node) => [node, this.places.get(node)])), predicted, null);
    return predicted.length;
  }

  // Observed partners that two of these nodes share, those of most first.
  between(nodes) {
    const seen = new Map();
    for (const node of nodes) for (const other of this.neighbours.get(node) || []) if (!nodes.has(other)) seen.set(other, (seen.get(other) || 0) + 1);
    return [...seen].filter((one) => one[1] > 1).sort((a, b) => b[1] - a[1] || a[0] - b[0]).map((one) => one[0]);
  }

  // One node in the middle, predicted partners on the outer ring, observed ones on the inner.
  showNode(node) {
    const all = [];
    for (let row = 0; row < this.links.source.length; row++) {
      if (this.links.source[row] === node) all.push([node, this.links.target[row], row]);
      else if (this.links.target[row] === node) all.push([node, this.links.source[row], row]);
    }
    const predicted = all.slice(0, this.ring);
    const partners = new Set(predicted.map((one) => one[1]));
    const shared = (one) => [...(this.neighbours.get(one) || [])].filter((other) => partners.has(other)).length;
    const observed = [...(this.neighbours.get(node) || [])].map((one) => [one, shared(one)]).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, this.ring).map((one) => one[0]);
    const places = new Map([[node, [0.5, 0.5]]]);
    const ring = (list, radius, turn) => list.forEach((one, at) => {
      const angle = (2 * Math.PI * (at + turn)) / list.length - Math.PI / 2;
      places.set(one, [0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle)]);
    });
    ring(observed, 0.22, 0);
    ring([...partners].filter((one) => !observed.includes(one)), 0.45, 0.5);
    this.draw(new Set(places.keys()), places, predicted, node);
    return { predicted: all.length, drawn: predicted.length, observed: this.degree[node] };
  }

  draw(nodes, places, predicted, chosen) {
    const at = (node) => [30 + (this.wide - 60) * places.get(node)[0], 24 + (HIGH - 48) * places.get(node)[1]];
    this.view = { x: 0, y: 0, size: 1 };
    this.element.classList.remove("closer");
    this.svg.setAttribute("viewBox", `0 0 ${this.wide} ${HIGH}`);
    const lines = [], marks = [], labels = [];
    const order = new Map(predicted.flatMap((one) => one.slice(0, 2)).map((node, n) => [node, n]).reverse());
    for (const node of nodes)
      for (const other of this.neighbours.get(node) || [])
        if (node < other && nodes.has(other)) lines.push(this.edge(at(node), at(other), "observed", node, other));
    // Thousands of observed links would hide the predicted ones.
    this.svg.style.setProperty("--weight", Math.max(0.08, Math.min(0.55, 200 / lines.length)));
    const largest = nodes.size > 120 ? 7 : 11;
    for (const [a, b, row] of predicted) {
      const line = this.edge(at(a), at(b), "predicted", a, b);
      line.append(draw("title", {}, `predicted, rank ${row + 1}: ${this.names[a]} – ${this.names[b]}`));
      lines.push(line);
    }
    for (const node of nodes) {
      const [x, y] = at(node), r = Math.min(largest, 3 + Math.sqrt(this.degree[node] || 1));
      marks.push(this.mark(node, x, y, node === chosen ? r + 3 : order.has(node) ? r : r * 0.7, chosen));
      labels.push({ node, x, y, r, first: node === chosen ? -1 : order.get(node) ?? 1e6 - (this.degree[node] || 0), text: draw("text", { "data-node": node }, this.names[node]) });
    }
    this.labels = labels.sort((a, b) => a.first - b.first);
    this.svg.replaceChildren(draw("g", {}, ...lines), draw("g", {}, ...marks), draw("g", {}, ...labels.map((one) => one.text)));
    this.placeLabels();
    this.svg.dataset.nodes = nodes.size;
    this.svg.dataset.predicted = predicted.length;
  }

  // Names that cover no other, those of the best links first; closer there is room for more.
  placeLabels() {
    const size = 11 / this.view.size, taken = [];
    for (const { x, y, r, text } of this.labels) {
      const wide = 0.66 * size * text.textContent.length, left = x + r + 3 + wide > this.wide && x - r - 3 - wide > 0;
      const from = left ? x - r - 3 - wide : x + r + 3, box = [from, from + wide, y - 0.6 * size, y + 0.5 * size];
      const free = isFree(box, taken);
      if (free) taken.push(box);
      text.setAttribute("x", from);
      text.setAttribute("y", y + 0.36 * size);
      text.style.fontSize = `${size}px`;
      text.style.strokeWidth = `${3 / this.view.size}px`;
      text.classList.toggle("covered", !free);
    }
  }

  edge([x1, y1], [x2, y2], kind, a, b) {
    return draw("line", { class: kind, x1, y1, x2, y2, "data-a": a, "data-b": b });
  }

  mark(node, x, y, r, chosen) {
    const name = this.names[node];
    return draw("circle", {
      class: "node" + (node === chosen ? " chosen" : ""), cx: x, cy: y, r, tabindex: 0, role: "button", "aria-label": name, "data-node": node,
      onclick: () => this.onChoose(node), onkeydown: (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); this.onChoose(node); } },
      onmouseenter: () => this.light(node), onmouseleave: () => this.light(null), onfocus: () => this.light(node), onblur: () => this.light(null),
    }, draw("title", {}, `${name}, ${this.degree[node]} observed link${this.degree[node] === 1 ? "" : "s"}`));
  }

  light(node) {
    const near = new Set([String(node)]);
    for (const line of this.svg.querySelectorAll("line")) {
      const own = node === null || line.dataset.a === String(node) || line.dataset.b === String(node);
      line.classList.toggle("faint", !own);
      if (own) near.add(line.dataset.a).add(line.dataset.b);
    }
    for (const one of this.svg.querySelectorAll("[data-node]")) one.classList.toggle("faint", node !== null && !near.has(one.dataset.node));
    for (const { node: own, text } of this.labels) text.classList.toggle("asked", own === node);
  }

  listen() {
    let from = null;
    const move = () => {
      this.element.classList.toggle("closer", this.view.size > 1); // then a finger moves the drawing, else the page
      this.svg.setAttribute("viewBox", `${this.view.x} ${this.view.y} ${this.wide / this.view.size} ${HIGH / this.view.size}`);
    };
    const zoom = (factor, cx = 0.5, cy = 0.5) => {
      const size = Math.min(20, Math.max(0.5, this.view.size * factor));
      this.view.x += cx * (this.wide / this.view.size - this.wide / size);
      this.view.y += cy * (HIGH / this.view.size - HIGH / size);
      this.view.size = size;
      this.placeLabels();
      move();
    };
    this.zoom = zoom;
    this.svg.addEventListener("wheel", (e) => {
      // Whoever scrolls the page goes past the drawing, not into it.
      if (!e.ctrlKey && !e.metaKey && !this.svg.contains(document.activeElement)) return;
      e.preventDefault();
      const box = this.svg.getBoundingClientRect();
      zoom(e.deltaY < 0 ? 1.2 : 1 / 1.2, (e.clientX - box.x) / box.width, (e.clientY - box.y) / box.height);
    }, { passive: false });
    this.svg.addEventListener("pointerdown", (e) => { if (!e.target.dataset.node) from = [e.clientX, e.clientY, this.view.x, this.view.y]; });
    this.svg.addEventListener("pointermove", (e) => {
      if (!from) return;
      const scale = this.wide / this.view.size / this.svg.getBoundingClientRect().width;
      [this.view.x, this.view.y] = [from[2] - (e.clientX - from[0]) * scale, from[3] - (e.clientY - from[1]) * scale];
      move();
    });
    for (const end of ["pointerup", "pointerleave"]) this.svg.addEventListener(end, () => (from = null));
    this.svg.addEventListener("keydown", (e) => {
      const step = 60 / this.view.size;
      const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[e.key];
      if (by) { e.preventDefault(); this.view.x += by[0]; this.view.y += by[1]; move(); }
      if (e.key === "+") zoom(1.2);
      if (e.key === "-") zoom(1 / 1.2);
    });
  }
}
