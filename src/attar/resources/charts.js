"use strict";
// Small charts as SVG text. Colours come from the style sheet, so that light and dark need no redrawing.

const esc = (s) => String(s).replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }[c]));
const count = (n) => Number(n).toLocaleString("en"); // whatever it was given: the digits of a number, or NaN
const colour = (i) => `var(--c${i % 8})`;
const narrow = () => innerWidth < 600; // a phone: fewer units across, so that labels stay legible
const chartWidth = () => (narrow() ? 330 : 480);
const tip = (text) => ` class="hit" tabindex="-1" data-tip="${esc(text)}"`;

function ticks(low, high, wanted = 5) {
  const step0 = (high - low || 1) / wanted;
  const power = 10 ** Math.floor(Math.log10(step0));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= step0);
  const found = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-6; t += step) found.push(+t.toFixed(10));
  return found;
}

function frame(w, h, x, y, options) {
  const { left = 40, right = 14, top = 22, bottom = 38 } = options;
  const sx = (v) => left + ((v - x[0]) / (x[1] - x[0] || 1)) * (w - left - right);
  const sy = (v) => h - bottom - ((v - y[0]) / (y[1] - y[0] || 1)) * (h - top - bottom);
  let svg = "";
  for (const t of ticks(y[0], y[1])) {
    svg += `<line class="gridline" x1="${left}" x2="${w - right}" y1="${sy(t)}" y2="${sy(t)}"/><text x="${left - 7}" y="${sy(t) + 4}" text-anchor="end">${+t.toFixed(3)}</text>`;
  }
  svg += `<line class="axis" x1="${left}" x2="${w - right}" y1="${h - bottom}" y2="${h - bottom}"/>`;
  for (const [v, label] of options.xTicks) svg += `<text x="${sx(v)}" y="${h - bottom + 16}" text-anchor="middle">${esc(label)}</text>`;
  if (options.xLabel) svg += `<text x="${(left + w - right) / 2}" y="${h - 3}" text-anchor="middle">${esc(options.xLabel)}</text>`;
  if (options.yLabel) svg += `<text x="4" y="11">${esc(options.yLabel)}</text>`;
  return { sx, sy, svg };
}

const around = (values, share = 0.06) => {
  const low = Math.min(...values), high = Math.max(...values), room = (high - low || 1) * share;
  return [low - room, high + room];
};

const legend = (series) => `<div class="legend">${series.map((s) => `<span><i style="background:${colour(s.colour)}"></i>${esc(s.name)}</span>`).join("")}</div>`;

// series: [{name, colour, points: [{x, y, low, high, tip}]}]; places: labels along x, sets of layers ("1+12") last
function lineChart(series, places) {
  const w = chartWidth(), h = 280, isSet = (i) => String(places[i]).includes("+");
  const all = series.flatMap((s) => s.points.flatMap((p) => [p.low, p.high]));
  const single = places.filter((_, i) => !isSet(i)).length, every = Math.ceil(places.length / (narrow() ? 9 : 15));
  const at = (i) => (isSet(i) ? i + every * 0.7 : i); // sets stand apart
  const xTicks = places.map((label, i) => [at(i), label, i]).filter(([, , i]) => isSet(i) || (single - 1 - i) % every === 0);
  const f = frame(w, h, [0, Math.max(at(places.length - 1), 1)], around(all), { xTicks, xLabel: "layer", yLabel: "score × 100" });
  let svg = f.svg;
  for (const s of series) {
    const p = s.points.filter((q) => !isSet(q.x)), ink = colour(s.colour), x = (q) => f.sx(at(q.x));
    if (p.length > 1) {
      const up = p.map((q) => `${x(q)},${f.sy(q.high)}`), down = p.map((q) => `${x(q)},${f.sy(q.low)}`).reverse();
      svg += `<polygon points="${up.concat(down).join(" ")}" style="fill:${ink}" opacity=".13"/>`;
      svg += `<polyline points="${p.map((q) => `${x(q)},${f.sy(q.y)}`).join(" ")}" fill="none" style="stroke:${ink}" stroke-width="2"/>`;
    }
    for (const q of s.points.filter((r) => isSet(r.x))) svg += `<line x1="${x(q)}" x2="${x(q)}" y1="${f.sy(q.low)}" y2="${f.sy(q.high)}" style="stroke:${ink}" opacity=".3" stroke-width="5"/>`;
    for (const q of s.points) svg += `<circle cx="${x(q)}" cy="${f.sy(q.y)}" r="3.4" style="fill:${ink}"${tip(q.tip)}/>`;
  }
  return `<svg viewBox="0 0 ${w} ${h}" role="img">${svg}</svg>${legend(series)}`;
}

// series: [{name, colour, points: [{x, y, tip}]}]
function scatter(series, xLabel, yLabel) {
  const w = chartWidth(), h = 300;
  const x = around(series.flatMap((s) => s.points.map((p) => p.x))), y = around(series.flatMap((s) => s.points.map((p) => p.y)));
  const f = frame(w, h, x, y, { xTicks: ticks(x[0], x[1], 6).map((t) => [t, +t.toFixed(2)]), xLabel, yLabel });
  let svg = f.svg;
  for (const s of series) {
    for (const p of s.points) svg += `<circle cx="${f.sx(p.x)}" cy="${f.sy(p.y)}" r="4" style="fill:${colour(s.colour)}" fill-opacity=".62"${tip(p.tip)}/>`;
  }
  return `<svg viewBox="0 0 ${w} ${h}" role="img">${svg}</svg>${legend(series)}`;
}

const STOPS = [[38, 24, 74], [52, 78, 128], [44, 133, 132], [110, 186, 110], [246, 222, 88]];
function shade(share) {
  const at = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1), i = Math.min(Math.floor(at), STOPS.length - 2);
  return `rgb(${STOPS[i].map((a, k) => Math.round(a + (STOPS[i + 1][k] - a) * (at - i))).join(",")})`;
}

// value(row, column) -> {y, tip} or undefined; `sets`: the first column that is an average of several layers
function heatMap(rows, columns, value, sets) {
  const w = chartWidth(), left = 40, top = 22, cell = (w - left - 8) / columns.length, tall = Math.min(26, Math.max(17, cell));
  const bottom = top + rows.length * tall, h = bottom + (sets < 0 ? 36 : 58), single = sets < 0 ? columns.length : sets, every = Math.ceil(17 / cell);
  const all = rows.flatMap((r) => columns.map((c) => value(r, c))).filter(Boolean);
  const low = Math.min(...all.map((v) => v.y)), high = Math.max(...all.map((v) => v.y));
  let svg = `<text x="4" y="11">w, the weight of Avg.</text>`, top1 = null;
  rows.forEach((r, i) => {
    svg += `<text x="${left - 7}" y="${top + i * tall + tall / 2 + 4}" text-anchor="end">${esc(r)}</text>`;
    columns.forEach((c, j) => {
      const v = value(r, c);
      if (!v) return;
      const x = left + j * cell, y = top + i * tall;
      svg += `<rect x="${x}" y="${y}" width="${cell + 0.3}" height="${tall + 0.3}" fill="${shade((v.y - low) / (high - low || 1))}"${tip(v.tip)}/>`;
      if (v.y === high && !top1) {
        top1 = `w = ${r}, layers ${c}`;
        svg += `<text x="${x + cell / 2}" y="${y + tall / 2 + 5}" text-anchor="middle" style="fill:#1d1303;font-size:15px;font-weight:700;pointer-events:none">×</text>`;
      }
    });
  });
  columns.forEach((c, j) => {
    const x = left + (j + 0.5) * cell, y = bottom + 15;
    if (!String(c).includes("+") && (single - 1 - j) % every) return;
    svg += String(c).includes("+") ? `<text x="${x}" y="${y}" text-anchor="end" transform="rotate(-38 ${x} ${y - 4})" style="font-size:10px">${esc(c)}</text>` : `<text x="${x}" y="${y}" text-anchor="middle">${esc(c)}</text>`;
  });
  if (sets > 0) svg += `<line x1="${left + sets * cell}" x2="${left + sets * cell}" y1="${top}" y2="${bottom}" stroke="var(--card)" stroke-width="3"/>`;
  svg += `<text x="${left + (single * cell) / 2}" y="${bottom + 32}" text-anchor="middle">layer</text>`;
  return `<svg viewBox="0 0 ${w} ${h}" role="img">${svg}</svg><p class="ramp">${low.toFixed(1)}<i style="background:linear-gradient(90deg,${STOPS.map((s) => `rgb(${s.join(",")})`).join(",")})"></i>${high.toFixed(1)}<span>× ${esc(top1)}</span></p>`;
}

function pearson(points) {
  const n = points.length;
  if (n < 3) return null;
  const mx = points.reduce((a, p) => a + p.x, 0) / n, my = points.reduce((a, p) => a + p.y, 0) / n;
  let xy = 0, xx = 0, yy = 0;
  for (const p of points) { xy += (p.x - mx) * (p.y - my); xx += (p.x - mx) ** 2; yy += (p.y - my) ** 2; }
  return xx && yy ? xy / Math.sqrt(xx * yy) : null;
}
