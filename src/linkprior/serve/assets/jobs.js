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
    this.wrong = make("p", { class: "wrong", role: "alert", id: "order-wrong", hidden: true });
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
      this.wrong.hidden = false;
      this.wrong.textContent = sentence(problem.message);
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
    this.told = make("p", { class: "soft told", role: "status" });
    this.wrong = make("p", { class: "wrong", role: "alert" });
    this.said = make("pre", {});
    this.details = make("details", {}, make("summary", {}, "What it says"), this.said);
    this.buttons = make("div", { class: "bar" });
    this.element = make("div", { class: "card job", "data-id": job.id },
      make("div", { class: "head" }, make("h3", {}, job.title + " ", make("span", { class: "soft" }, job.words)), this.pill),
      this.bar, this.told, this.wrong, this.buttons, this.details);
  }

  update(job) {
    this.element.dataset.state = job.state;
    this.pill.className = "pill " + job.state;
    setText(this.pill, job.state);
    this.bar.hidden = job.state !== "running";
    const fraction = job.progress ? job.progress.fraction : null;
    if (fraction === null) this.bar.removeAttribute("value");
    else this.bar.value = fraction;
    setText(this.told, this.words(job));
    this.told.hidden = !this.told.textContent;
    this.wrong.hidden = !job.error;
    setText(this.wrong, job.error ? sentence(job.error) : "");
    setText(this.said, [job.command.length ? "$ " + job.command.map(quoted).join(" ") : "", ...job.said].filter(Boolean).join("\n"));
    this.details.hidden = !this.said.textContent;
    this.offer(job);
  }

  words(job) {
    if (job.state === "waiting") return job.ahead ? `Waiting for ${job.ahead} job${job.ahead === 1 ? "" : "s"}.` : "About to start.";
    if (job.state === "stopped") return "Stopped before it was done.";
    if (job.state === "done") return job.seconds === null ? "" : `Took ${clock(job.seconds)}.`;
    if (job.state !== "running") return "";
    const p = job.progress;
    if (!p) return job.said.length ? "Working …" : "Starting …";
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
      over ? make("button", { class: "push", onclick: () => this.ask("DELETE", "") }, "Remove") : make("button", { onclick: (e) => { e.target.disabled = true; this.ask("POST", "/stop"); } }, "Stop"),
    ].filter(Boolean));
  }

  async ask(method, what) {
    try {
      await ask(method, `jobs/${this.id}${what}`);
    } catch (problem) {
      this.wrong.hidden = false;
      this.wrong.textContent = sentence(problem.message);
    }
  }
}

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
