// Small helpers. All text goes in as text, so a node named "<img …>" stays a name.

function filled(element, given, inside) {
  const there = (value) => value !== undefined && value !== null && value !== false;
  for (const [name, value] of Object.entries(given).filter((one) => there(one[1]))) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...inside.flat().filter(there));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";
const make = (tag, given, ...inside) => filled(document.createElement(tag), given, inside);
const draw = (tag, given, ...inside) => filled(document.createElementNS(SVG, tag), given, inside);

const grouped = (n) => Math.round(n).toLocaleString("en-US");

function digits(x, n = 3) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (Number.isInteger(x) && Math.abs(x) < 1e6) return String(x);
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return x.toExponential(n - 1);
  return String(Number(x.toPrecision(n)));
}

function percent(x) {
  if (x === null || x === undefined) return "–";
  if (x >= 0.0995) return Math.round(100 * x) + " %";
  return x >= 0.001 ? (100 * x).toPrecision(2) + " %" : "< 0.1 %";
}

function about(x) {
  return x >= 10 ? grouped(x) : String(Number(x.toFixed(1)));
}

function download(name, type, content) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// What makes a spreadsheet compute, as in io/writers.py: an apostrophe goes before it.
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const isNumber = (value, text) => typeof value === "number" || (typeof value === "object" && /^-?[\d.]+(e[-+]?\d+)?$/.test(text));

// Rows of cells as the text of a table. In CSV, text that a spreadsheet would compute is guarded,
// numbers are not, and a cell that holds a separator is quoted.
function delimited(rows, kind, textOf = String) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : textOf(value);
    if (kind !== "csv") return text;
    const safe = FORMULA.test(text) && !isNumber(value, text) ? "'" + text : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => row.map(cell).join(kind === "csv" ? "," : "\t")).join("\n") + "\n";
}

const TABLE_TYPES = { csv: "text/csv", tsv: "text/tab-separated-values" };

// As XML 1.0 has it: what it has no place for, not even escaped, becomes U+FFFD.
function xmlText(value) {
  const known = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;" };
  return String(value).replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd").replace(/[&<>"\t\n\r]/g, (c) => known[c]);
}

// Whether a box of a drawing (left, right, top, bottom) covers none of the others.
const isFree = (box, taken) => !taken.some((one) => box[0] < one[1] && one[0] < box[1] && box[2] < one[3] && one[2] < box[3]);

// Phones get drawings of their own width: a wide one made small cannot be read.
const isNarrow = () => matchMedia("(max-width: 620px)").matches;

async function copy(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "copied";
  } catch {
    const area = make("textarea", {});
    area.value = text;
    document.body.append(area);
    area.select();
    button.textContent = document.execCommand("copy") ? "copied" : "could not copy";
    area.remove();
  }
  setTimeout(() => (button.textContent = label), 1500);
}

// A picture of an SVG as a reader sees it: colours are looked up and written into the copy.
function pictureOf(svg) {
  const twin = svg.cloneNode(true);
  const there = [svg, ...svg.querySelectorAll("*")];
  [twin, ...twin.querySelectorAll("*")].forEach((element, at) => {
    const style = getComputedStyle(there[at]);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "font-size", "font-family", "font-weight", "text-anchor", "paint-order"])
      element.style.setProperty(name, style.getPropertyValue(name));
  });
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  twin.setAttribute("xmlns", SVG);
  twin.setAttribute("width", width);
  twin.setAttribute("height", height);
  const paper = draw("rect", { x: 0, y: 0, width, height });
  paper.style.fill = getComputedStyle(document.body).backgroundColor;
  twin.prepend(paper);
  return { text: new XMLSerializer().serializeToString(twin), width, height };
}

function savePng(svg, name) {
  const { text, width, height } = pictureOf(svg);
  const image = new Image();
  image.onload = () => {
    const canvas = make("canvas", { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
    canvas.toBlob((blob) => download(name + ".png", "image/png", blob));
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
}

function pictureButtons(svg, name) {
  return make("span", { class: "noprint" },
    make("button", { class: "small", onclick: () => savePng(svg(), name), "aria-label": "save as PNG: " + name }, "PNG"), " ",
    make("button", { class: "small", onclick: () => download(name + ".svg", "image/svg+xml", pictureOf(svg()).text), "aria-label": "save as SVG: " + name }, "SVG"));
}
