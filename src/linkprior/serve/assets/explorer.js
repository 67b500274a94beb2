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
