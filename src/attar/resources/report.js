"use strict";
// Filters, tooltips, downloads.

const $ = (s) => document.querySelector(s);
const EMPTY = '<p class="empty">This run has no cells for this choice.</p>';
const NEEDS = {
  "sec-layers": "A curve needs cells at two layers or more, of one aggregation, nothing shaped or mixed with Avg.",
  "sec-heat": "A map needs cells of three weights of Avg. at two sets of layers or more, plain means.",
  "sec-iso": "This needs the task isoscore beside others, and three recipes or more.",
  "sec-align": "This needs the tasks alignment and uniformity.",
  "sec-shaping": "This needs recipes that the run has with and without a post-processing.",
};

function fill() {
  const gs = groups();
  const put = (id, inside) => { $(`#${id} .body`).innerHTML = inside || (NEEDS[id] ? `<p class="empty">Nothing to show for this choice. ${NEEDS[id]}</p>` : EMPTY); };
  put("sec-tables", gs.map(recipeTable).join(""));
  put("sec-layers", gs.map(layerCurves).join(""));
  put("sec-heat", gs.map(heat).join(""));
  put("sec-iso", gs.filter((g) => ["sts", "clustering"].includes(g.family)).map(isotropy).join(""));
  put("sec-align", alignment());
  const texts = Object.entries(D.templates).map(([name, text]) => `<li><b>${esc(name)}</b> ${esc(text)}</li>`).join("");
  put("sec-templates", gs.map(templateTable).join("") + (texts && `<ul class="texts">${texts}</ul>`));
  put("sec-shaping", shapingTable());
  put("sec-best", bestTable());
  const tasks = unique(gs.flatMap((g) => g.tasks));
  put("sec-appendix", tasks.map((t) => `<details data-task="${esc(t)}"><summary>${esc(t)}<small>${esc(D.families[t])}, ${esc(D.metrics[t])}</small></summary></details>`).join(""));
}

function addFilters() {
  const models = N.model, tasks = unique(ROWS.filter((r) => FAMILIES.includes(r.family)).map((r) => r.task));
  const options = {
    subject: ["Task", [["all", "all tasks"], ...FAMILIES.map((f) => [f, f]), ...tasks.map((t) => [t, t])]],
    model: ["Model", models.map((m) => [m, m])],
    layers: ["Layers", []],
    template: ["Template", [["all", "all"], ...N.template.map((t) => [t, t])]],
    weights: ["Aggregation of curves", [...N.weights].sort(byOrder("weights")).map((w) => [w, w])],
  };
  $("#filters").innerHTML = Object.entries(options).map(([name, [label]]) => `<label>${label}<select id="f-${name}"></select></label>`).join("");
  for (const [name, [, choices]] of Object.entries(options)) setChoices(name, choices);
  setLayers();
  for (const name of Object.keys(options)) {
    $(`#f-${name}`).addEventListener("change", (e) => {
      F[name] = e.target.value;
      if (name === "model") { F.layers = "paper"; setLayers(); }
      fill();
    });
  }
}
function setChoices(name, choices) {
  $(`#f-${name}`).innerHTML = choices.map(([v, label]) => `<option value="${esc(v)}"${v === F[name] ? " selected" : ""}>${esc(label)}</option>`).join("");
}
const setLayers = () => setChoices("layers", [["paper", "the paper's"], ...unique(ROWS.filter((r) => r.model === F.model).map((r) => r.layers)).sort(byLayer).map((l) => [l, l])]);

function showTip(e) {
  const at = e.target.closest && e.target.closest("[data-tip]"), box = $("#tip");
  if (!at || !at.dataset.tip) { box.hidden = true; return; }
  box.textContent = at.dataset.tip;
  box.hidden = false;
  const x = Math.min(e.clientX + 14, innerWidth - box.offsetWidth - 8), below = e.clientY + 16;
  box.style.left = `${Math.max(8, x)}px`;
  box.style.top = `${below + box.offsetHeight > innerHeight - 8 ? Math.max(8, e.clientY - box.offsetHeight - 12) : below}px`;
}

// Downloads: what the table shows, the published value in brackets.
function tableCells(table) {
  return [...table.rows].map((row) => [...row.cells].map((c) => {
    const small = c.querySelector("small"), main = [...c.childNodes].filter((n) => n !== small).map((n) => n.textContent).join("");
    return { text: main, published: small ? small.textContent : "", best: !!c.querySelector(".best") };
  }));
}
function asCsv(table) {
  const rows = tableCells(table), paper = rows[0].map((_, j) => rows.some((r) => r[j] && r[j].published));
  const guarded = (s) => (/^[=+@\t\r-]/.test(s) && !Number.isFinite(Number(s)) ? `'${s}` : s); // never a formula
  const quote = (t) => { const s = guarded(t); return /[",\n\r]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s; };
  return rows.map((r, i) => r.flatMap((c, j) => (paper[j] ? [c.text, i ? c.published : `${c.text} (published)`] : [c.text])).map(quote).join(",")).join("\n") + "\n";
}
const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\^{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "\\textquotedblright{}", "[": "{[}", "]": "{]}", "*": "{*}" };
function asLatex(table, title) {
  const clean = (s) => s.replace(/[&%$#_{}\\~^<>|"[\]*]/g, (c) => LATEX[c] || `\\${c}`), rows = tableCells(table);
  const line = (r) => r.map((c) => (c.best ? `\\textbf{${clean(c.text)}}` : clean(c.text)) + (c.published ? ` (${c.published})` : "")).join(" & ") + " \\\\";
  const n = table.querySelectorAll("thead .label").length, columns = "l".repeat(n) + "r".repeat(rows[0].length - n);
  return `\\begin{table}\n\\caption{${clean(title)}}\n\\begin{tabular}{${columns}}\n\\toprule\n${line(rows[0])}\n\\midrule\n${rows.slice(1).map(line).join("\n")}\n\\bottomrule\n\\end{tabular}\n\\end{table}\n`;
}
// What the card says of its table: which layers, too.
const captionOf = (box) => box.querySelector("h3").textContent.trim().replace(/\s+/g, " ").replace(box.dataset.title, (title) => `${title};`);
function save(button) {
  const box = button.closest(".card"), table = box.querySelector("table"), kind = button.dataset.save;
  const text = kind === "csv" ? asCsv(table) : asLatex(table, captionOf(box));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = `${box.dataset.title.replace(/[^\w.+-]+/g, "-").toLowerCase()}.${kind}`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function tellHow() {
  const models = D.facts.map((f) => {
    const tasks = Object.entries(f.tasks).map(([t, [texts, whole]]) => `${esc(t)}: ${count(texts)} texts${whole ? ` (a fixed sample of its ${count(whole)} rows)` : ""}`);
    return `<h3>${esc(f.model)}</h3><p>${count(f.cells)} cells, scored in ${count(f.minutes)} minutes. Weights' sha256 <code>${esc(f.sha256)}</code>; Attar ${esc(f.attar.join(", "))}. Background corpus: ${f.background.map(count).join(", ")} sentences through the model, Avg. from ${f.average.map(count).join(", ")}. k-means runs: ${f.runs.map(count).join(", ") || "none"}.</p><p class="sub">${tasks.join("; ")}.</p>`;
  });
  $("#sec-made .body").innerHTML = `<p>Every distinct text went through the model once for each template. At every layer its token vectors were pooled under all aggregations at once (each is one weight a token; they sum to 1 in a text), and the pooled vectors kept as 16-bit floats with a power of two for every dim. Layers, Avg. and shapers were applied to those.</p>
<ul><li><b>Layers</b>: −1 is the token table, 0 the input of the first block, i the output of block i; 1+${count(Math.max(...Object.values(D.lastLayer)))} is the average of two.</li>
<li><b>Aggregations</b>: mean of all tokens but the special ones; idf, ln(N / df), with counts from the task's own texts or from the background corpus; debiased, without frequent tokens, sub-words and punctuation; mask, the template's masks alone.</li>
<li><b>Post-processing</b> is fitted on all texts of the task, without labels, or (@background) on the background corpus.</li>
<li><b>Similarity</b>: Spearman's correlation of cosines over all pairs of all subsets; the interval is a bootstrap of 200 draws of pairs. <b>Clustering</b>: k-means with 10 starts, accuracy under the best matching of clusters to classes, mean over runs. <b>Classification</b>: logistic regression on frozen vectors, 10-fold or the task's own split; of a sampled task with a test split, half of the rows test.</li>
<li><b>Published</b> values are those of BERT base, and stand beside that model only; the two idf rows, which the paper's tables have exchanged, stand under what they really are. Averages are over the tasks shown, for classification over the paper's own set.</li></ul>${models.join("")}${D.failed.length ? `<h3>Not scored</h3><ul>${D.failed.map(([reason, n]) => `<li>${count(n)} cells: ${esc(reason)}</li>`).join("")}</ul>` : ""}`;
}

function start() {
  const stored = (() => { try { return localStorage.getItem("theme"); } catch { return null; } })();
  const theme = (t) => { document.documentElement.dataset.theme = t; };
  theme(location.hash === "#dark" ? "dark" : stored || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  $("#theme").onclick = () => {
    theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    try { localStorage.setItem("theme", document.documentElement.dataset.theme); } catch { /* private mode */ }
  };
  $("#lead").textContent = `${ROWS.length.toLocaleString("en")} cells: ${N.model.join(" and ")}, ${unique(ROWS.filter((r) => FAMILIES.includes(r.family)).map((r) => r.task)).length} tasks, ${N.layers.length} layers and sets of layers, ${N.weights.length} aggregations, ${N.shape.length} post-processings; no training, no labels.`;
  $("#foot").textContent = `Made by Attar ${D.attar}. This page holds its data and asks nothing of the network.`;
  $("#toc").innerHTML = [...document.querySelectorAll("main section")].map((s) => `<a href="#${s.id}">${s.querySelector("h2").innerHTML}</a>`).join("");
  addFilters();
  fill();
  let was = narrow();
  addEventListener("resize", () => { if (narrow() !== was) { was = narrow(); fill(); } });
  tellHow();
  document.addEventListener("mousemove", showTip);
  document.addEventListener("click", (e) => { if (e.target.dataset && e.target.dataset.save) save(e.target); else showTip(e); });
  document.addEventListener("toggle", (e) => {
    const box = e.target;
    if (box.open && box.dataset.task && !box.querySelector(".card")) {
      const task = box.dataset.task;
      box.insertAdjacentHTML("beforeend", recipeTable({ name: task, title: task, family: D.families[task], tasks: [task] }) || EMPTY);
    }
  }, true);
}
start();
