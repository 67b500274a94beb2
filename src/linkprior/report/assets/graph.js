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
      const free = !taken.some((one) => box[0] < one[1] && one[0] < box[1] && box[2] < one[3] && one[2] < box[3]);
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
