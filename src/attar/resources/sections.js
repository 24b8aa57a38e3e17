"use strict";
// What each section shows for the chosen filters, as HTML text.

const D = JSON.parse(document.getElementById("data").textContent);
const N = D.names, C = D.cells;
const ROWS = C.task.map((_, i) => ({
  task: N.task[C.task[i]], model: N.model[C.model[i]], template: N.template[C.template[i]], layers: N.layers[C.layers[i]],
  weights: N.weights[C.weights[i]], shape: N.shape[C.shape[i]], mix: C.mix[i], y: C.score[i], low: C.low[i], high: C.high[i], pub: C.published[i],
  family: D.families[N.task[C.task[i]]],
}));
const FAMILIES = ["sts", "clustering", "classification"].filter((f) => ROWS.some((r) => r.family === f));
const TITLES = { sts: "Semantic similarity (Spearman)", clustering: "Clustering (accuracy)", classification: "Classification (accuracy)" };
const F = { subject: "all", model: N.model[0], layers: "paper", template: "all", weights: "mean" };

const unique = (values) => [...new Set(values)];
const place = (list, name) => (list.indexOf(name) + list.length + 1) % (list.length + 1);
const byOrder = (kind) => (a, b) => place(D.order[kind], a) - place(D.order[kind], b) || (a < b ? -1 : 1);
const layerKey = (set) => { const n = set.split("+").map(Number); return n.length * 1000 + n.reduce((a, b) => a * 50 + b + 1, 0); };
const byLayer = (a, b) => a.split("+").length - b.split("+").length || layerKey(a) - layerKey(b);
const variant = (r) => (r.mix === 0 ? (r.template === "none" ? "no template" : r.template) : (r.template === "none" ? "" : r.template + " ") + (r.mix === 1 ? "Avg." : `+ ${r.mix} Avg.`));
const variantOrder = (v) => (v === "no template" ? "1" : v.startsWith("+") ? "2" : v === "Avg." ? "3" : "0") + v;
const VARIANTS = unique(ROWS.map(variant)).sort((a, b) => (a === "no template" ? -1 : b === "no template" ? 1 : variantOrder(a) < variantOrder(b) ? -1 : 1));
const COLOURED = VARIANTS.filter((v) => !/Avg/.test(v) || ["Avg.", "+ 0.5 Avg."].includes(v)).concat(VARIANTS); // the paper's columns first
const inkOf = (v) => COLOURED.indexOf(v);
const atLayer = (r) => F.layers === "paper" || r.layers === F.layers;
const recipe = (r) => `${variant(r)}, layers ${r.layers}, ${r.weights}, ${r.shape}`;
const last = () => String(D.lastLayer[F.model]);
const both = () => `1+${last()}`;

function groups() {
  const shown = F.subject === "all" ? FAMILIES : [F.subject];
  return shown.map((s) => ({ name: s, title: TITLES[s] || s, family: D.families[s] || s, tasks: FAMILIES.includes(s) ? unique(ROWS.filter((r) => r.family === s && r.model === F.model).map((r) => r.task)) : [s] }));
}
const mine = (tasks) => ROWS.filter((r) => r.model === F.model && tasks.includes(r.task) && (F.template === "all" || r.template === F.template));

// Means over tasks, only where all tasks are there.
function means(rows, tasks, key) {
  const held = new Map();
  for (const r of rows) { const k = key(r); if (!held.has(k)) held.set(k, []); held.get(k).push(r); }
  const found = new Map();
  for (const [k, rs] of held) {
    if (rs.length !== tasks.length) continue;
    const y = rs.reduce((a, r) => a + r.y, 0) / rs.length;
    const sd = rs.length > 1 ? Math.sqrt(rs.reduce((a, r) => a + (r.y - y) ** 2, 0) / (rs.length - 1)) : 0;
    const pub = rs.every((r) => r.pub !== null) ? rs.reduce((a, r) => a + r.pub, 0) / rs.length : null;
    const each = rs.map((r) => `${r.task} ${r.y.toFixed(1)}${r.low === null ? "" : ` [${r.low.toFixed(1)}, ${r.high.toFixed(1)}]`}`);
    const [low, high] = rs.length > 1 ? [y - sd, y + sd] : [rs[0].low ?? y, rs[0].high ?? y];
    found.set(k, { y, low, high, pub, row: rs[0], tip: `${recipe(rs[0])}: ${y.toFixed(2)}\n${each.join("\n")}` });
  }
  return found;
}

// Tables. labels: headings in front; lines: [{labels, group, values: [{y, pub, tip}]}]
function tableCard(title, small, labels, columns, lines, foot = "") {
  const shown = lines.filter((l) => l.values.some(Boolean));
  if (!shown.length) return "";
  const grouped = shown[0].group !== undefined;
  const tops = columns.map((_, j) => { // one number alone is not the best of anything
    const ys = shown.filter((l) => l.values[j]).map((l) => +l.values[j].y.toFixed(1));
    return ys.length > 1 ? Math.max(...ys) : null;
  });
  const printed = columns.map((_, j) => shown.some((l) => l.values[j] && l.values[j].pub != null));
  const head = labels.map((l) => `<th class="label">${esc(l)}</th>`).join("") + columns.map((c, j) => `<th>${esc(c).replace("@", "@<wbr>")}${printed[j] ? '<small></small>' : ""}</th>`).join("");
  const body = shown.map((l, i) => {
    const first = grouped && (i === 0 || l.group !== shown[i - 1].group);
    const cells = l.values.map((v, j) => {
      if (!v) return "<td></td>";
      const number = v.y.toFixed(1).replace(/^-0\.0$/, "0.0"), top = l.plain ? false : +v.y.toFixed(1) === tops[j];
      return `<td data-tip="${esc(v.tip || "")}">${top ? `<b class="best">${number}</b>` : number}${printed[j] ? ` <small>${v.pub == null ? "" : v.pub.toFixed(1)}</small>` : ""}</td>`;
    });
    const names = l.labels.map((n, k) => `<td class="label"${first && k === 1 ? ` data-group="${esc(l.group)}"` : ""}>${k === 0 && grouped && !first ? `<span hidden>${esc(n)}</span>` : esc(n)}</td>`);
    return `<tr${first ? ' class="group"' : ""}>${names.join("")}${cells.join("")}</tr>`;
  });
  return `<div class="card" data-title="${esc(title)}"><header><h3>${esc(title)} <small>${esc(small)}</small></h3><span class="tools"><button data-save="csv">CSV</button><button data-save="tex">LaTeX</button></span></header><div class="scroll"><table${grouped ? ' class="grouped"' : ""}><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table></div>${foot}</div>`;
}

const PAPER_MODEL = { "no template": "BERT", "+ 0.5 Avg.": "BERT+Avg", "Avg.": "Avg", T0: "T0", T4: "T4" };
const PAPER_WEIGHTS = { mean: "mean", idf: "idf-target", "idf@background": "idf-background", debiased: "debiased", mask: "mask" };
function recipeTable(g) {
  const table = D.shown[F.model][g.name], paper = F.layers === "paper";
  if (!table) return "";
  const layers = (r) => paper ? table.layers[r.template] : F.layers;
  const rows = mine(g.tasks).filter((r) => r.layers === layers(r) && (!paper || table.columns.some(([template, mix]) => r.template === template && r.mix === mix)));
  const held = means(rows, g.tasks, (r) => [variant(r), r.weights, r.shape].join("|"));
  const columns = unique([...held.values()].map((v) => variant(v.row))).sort((a, b) => (variantOrder(a) < variantOrder(b) ? -1 : 1));
  const lines = [];
  for (const w of unique(rows.map((r) => r.weights)).sort(byOrder("weights"))) {
    for (const s of unique(rows.map((r) => r.shape)).sort(byOrder("shape"))) {
      const values = columns.map((c) => {
        const v = held.get([c, w, s].join("|"));
        if (v && g.name === "classification" && paper && D.paperModels.includes(F.model)) v.pub = D.classification[[PAPER_MODEL[c], PAPER_WEIGHTS[w], s].join("|")] ?? null;
        return v;
      });
      lines.push({ labels: [w, s], group: w, values });
    }
  }
  const small = (g.tasks.length > 1 ? `mean of ${g.tasks.join(", ")}; ` : "") + (paper ? table.caption : `layers ${F.layers}`);
  const left = paper && table.left ? [`${table.left}; all are in attar report --format csv`] : [];
  return tableCard(`${F.model}: ${g.title}`, small, ["aggregation", "post-processing"], columns, lines, notes([...few(g.name), ...left]));
}

// Which shapers learned from too few texts to tell what they do with more.
const few = (subject) => (D.few[F.model] || {})[subject] || [];
const notes = (sentences) => sentences.map((s) => `<p class="sub">${esc(s)}.</p>`).join("");

function layerCurves(g) {
  const rows = mine(g.tasks).filter((r) => r.shape === "none" && r.mix === 0 && r.weights === F.weights);
  const held = means(rows, g.tasks, (r) => [r.template, r.layers].join("|"));
  const places = unique([...held.values()].map((v) => v.row.layers)).filter((l) => !l.includes("+") || l === both()).sort(byLayer);
  const templates = unique([...held.values()].map((v) => v.row.template)).sort((a, b) => (a === "none" ? -1 : b === "none" ? 1 : a < b ? -1 : 1));
  const series = templates.map((t) => ({ name: t === "none" ? "no template" : t, colour: inkOf(t === "none" ? "no template" : t), points: places.map((l, x) => { const v = held.get([t, l].join("|")); return v && { x, y: v.y, low: v.low, high: v.high, tip: v.tip }; }).filter(Boolean) })).filter((s) => s.points.length > 1);
  return series.length ? card(g.title, `${F.model}, ${F.weights}`, lineChart(series, places)) : "";
}

function heat(g) {
  const rows = ROWS.filter((r) => r.model === F.model && g.tasks.includes(r.task) && r.template === "none" && r.weights === "mean" && r.shape === "none");
  const held = means(rows, g.tasks, (r) => [r.mix, r.layers].join("|"));
  const mixes = unique([...held.values()].map((v) => v.row.mix)).sort((a, b) => b - a);
  const columns = unique([...held.values()].filter((v) => v.row.mix !== 0).map((v) => v.row.layers)).sort(byLayer);
  if (mixes.length < 3 || columns.length < 2) return "";
  const full = mixes.filter((m) => columns.filter((c) => held.get([m, c].join("|"))).length > columns.length / 2);
  return card(g.title, `${F.model} + Avg.`, heatMap(full, columns, (m, c) => held.get([m, c].join("|")), columns.findIndex((c) => c.includes("+"))));
}

const key = (r) => [r.template, r.layers, r.weights, r.shape, r.mix].join("|");
function against(xRows, yHeld, xLabel, yLabel, title) {
  const x = new Map(xRows.map((r) => [key(r), r.y]));
  const points = [...yHeld].filter(([k, v]) => x.has(k) && !v.row.shape.includes("whiten")).map(([k, v]) => ({ x: x.get(k), y: v.y, of: variant(v.row), tip: `${v.tip}\n${xLabel} ${x.get(k).toFixed(1)}` }));
  if (points.length < 3) return "";
  const names = unique(points.map((p) => p.of)).sort((a, b) => inkOf(a) - inkOf(b));
  const r = (ps) => { const v = pearson(ps); return v === null ? "" : `, r = ${v.toFixed(2)}`; };
  const series = names.map((n) => { const ps = points.filter((p) => p.of === n); return { name: n + r(ps), colour: inkOf(n), points: ps }; });
  return card(title, `${F.model}${r(points)} over all ${points.length}`, scatter(series, xLabel, yLabel));
}
function isotropy(g) {
  return against(mine(["isoscore"]), means(mine(g.tasks).filter(atLayer), g.tasks, key), "IsoScore × 100", "score × 100", g.title);
}
function alignment() {
  const rows = mine(["uniformity"]), held = means(mine(["alignment"]).filter(atLayer), ["alignment"], key);
  const x = new Map(rows.map((r) => [key(r), r.y / 100]));
  const points = [...held].filter(([k]) => x.has(k)).map(([k, v]) => ({ x: x.get(k), y: v.y / 100, of: variant(v.row), tip: `${recipe(v.row)}\nalignment ${(v.y / 100).toFixed(3)}, uniformity ${x.get(k).toFixed(3)}` }));
  if (!points.length) return "";
  const names = unique(points.map((p) => p.of)).sort((a, b) => inkOf(a) - inkOf(b));
  return card("Alignment against uniformity", F.model, scatter(names.map((n) => ({ name: n, colour: inkOf(n), points: points.filter((p) => p.of === n) })), "uniformity", "alignment"));
}

function templateTable(g) {
  const layers = F.layers !== "paper" ? F.layers : (D.shown[F.model][g.name] || { templates: last() }).templates;
  const rows = ROWS.filter((r) => r.model === F.model && g.tasks.includes(r.task) && r.layers === layers && r.shape === "none" && r.mix === 0);
  const held = means(rows, g.tasks, (r) => [r.template, r.weights].join("|"));
  const columns = unique([...held.values()].map((v) => v.row.weights)).sort(byOrder("weights"));
  const templates = unique(rows.map((r) => r.template)).sort((a, b) => (a === "none" ? -1 : b === "none" ? 1 : a < b ? -1 : 1));
  const lines = templates.map((t) => ({ labels: [t], values: columns.map((w) => held.get([t, w].join("|"))) }));
  return tableCard(`${F.model}: ${g.title}`, `layers ${layers}`, ["template"], columns, lines);
}

function bestTable() {
  const n = D.best.labels.length, shown = (row) => row.filter((_, k) => k !== 1); // the model stands in the title
  const wanted = new Set(groups().flatMap((g) => [g.name, ...g.tasks]));
  const rows = D.best.rows.filter((r) => r[1] === F.model && wanted.has(r[0]));
  const columns = D.best.columns.map((name, j) => ({ name, j: n + j })).filter(({ j }) => rows.some((r) => r[j] !== null)); // those of recipes that the run has
  const lines = rows.map((r) => ({ labels: shown(r.slice(0, n)), plain: true, values: columns.map(({ j }) => (r[j] === null ? null : { y: r[j] })) }));
  return tableCard(`${F.model}: best recipes`, "score × 100, then the regret of each named recipe that the run has", shown(D.best.labels), columns.map((c) => c.name), lines);
}

function shapingTable() {
  const wanted = new Set(groups().flatMap((g) => [g.name, ...g.tasks]));
  const lines = D.shaping.rows.filter((r) => r[1] === F.model && wanted.has(r[0])).map((r) => ({ labels: [r[0], ...r.slice(2, 5)], plain: true, values: r.slice(5).map((y) => ({ y })) }));
  return tableCard(`${F.model}: what shaping does`, "mean gain × 100 over the recipes that have it, and its 95 % interval", ["task", "post-processing", "recipes", "verdict"], D.shaping.columns, lines, notes(unique(lines.map((l) => l.labels[0])).flatMap((s) => few(s).map((told) => `${s}: ${told}`))));
}

const card = (title, small, inside) => `<div class="card"><header><h3>${esc(title)} <small>${esc(small)}</small></h3></header>${inside}</div>`;
