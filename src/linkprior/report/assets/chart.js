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

// lines: [{name, x, y, low?, high?, points?}]
function chart({ lines, x, y, width = 520, height = 300, label }) {
  const left = 62, right = 14, top = 10, bottom = 44 + 18 * Math.ceil(lines.length / 3) * (lines.length > 1);
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
    svg.append(draw("text", { x: px(t), y: height - bottom + 16, "text-anchor": "middle" }, x.show ? x.show(t) : digits(t)));
  }
  for (const t of ticks(y0, y1, y.log)) {
    svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: py(t), y2: py(t) }));
    svg.append(draw("text", { x: left - 6, y: py(t) + 4, "text-anchor": "end" }, y.show ? y.show(t) : digits(t)));
  }
  svg.append(draw("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }));
  svg.append(draw("text", { x: (left + width - right) / 2, y: height - bottom + 34, "text-anchor": "middle" }, x.name));
  svg.append(draw("text", { transform: `translate(14 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, y.name));
  lines.forEach((line, at) => svg.append(...lineOf(line, at, px, py, x, y)));
  if (lines.length > 1) lines.forEach((line, at) => svg.append(...legendOf(line, at, left, height - bottom + 52)));
  return svg;
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
    parts.push(...shown.map((i) => draw("circle", { cx: px(line.x[i]), cy: py(line.y[i]), r: 3.4, style: `fill:${at ? "none" : hue};stroke:${hue};stroke-width:1.5` },
      draw("title", {}, `${line.name}: ${digits(line.x[i])}, ${digits(line.y[i])}`))));
  else
    parts.push(draw("path", { d: "M" + shown.map((i) => `${px(line.x[i])} ${py(line.y[i])}`).join("L"), style: `fill:none;stroke:${hue};stroke-width:2`, "stroke-dasharray": dash },
      draw("title", {}, line.name)));
  return parts;
}

function legendOf(line, at, left, top) {
  const x = left + (at % 3) * 150, y = top + 18 * Math.floor(at / 3);
  const hue = HUES[at % HUES.length], dash = DASHES[Math.floor(at / HUES.length) % DASHES.length];
  const sign = line.points
    ? draw("circle", { cx: x + 10, cy: y - 4, r: 3.4, style: `fill:${at ? "none" : hue};stroke:${hue};stroke-width:1.5` })
    : draw("path", { d: `M${x} ${y - 4}h20`, style: `stroke:${hue};stroke-width:2`, "stroke-dasharray": dash });
  const name = line.name.length > 18 ? line.name.slice(0, 17) + "…" : line.name;
  return [sign, draw("text", { x: x + 26, y }, name)];
}

function figure(title, note, svg, name) {
  const shown = make("figure", {}, make("figcaption", {}, make("span", {}, title), pictureButtons(() => shown.querySelector("svg"), name), note && make("small", {}, note)), svg);
  return shown;
}

// Bars with a name on the left.
function bars(items, label) {
  const height = 24 * items.length + 8, most = Math.max(...items.map((one) => one.value), 1e-12);
  const svg = draw("svg", { viewBox: `0 0 520 ${height}`, role: "img", "aria-label": label });
  items.forEach((one, at) => {
    const name = one.name.length > 26 ? one.name.slice(0, 25) + "…" : one.name;
    svg.append(draw("text", { x: 176, y: 24 * at + 19, "text-anchor": "end" }, name));
    svg.append(draw("rect", { x: 184, y: 24 * at + 7, height: 16, width: Math.max(1, (270 * one.value) / most), style: "fill:var(--accent)" }));
    svg.append(draw("text", { x: 190 + (270 * one.value) / most, y: 24 * at + 19 }, one.text || digits(one.value)));
  });
  return svg;
}
