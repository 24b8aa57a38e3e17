"use strict";
// Small charts as SVG text. Colours come from the style sheet, so that light and dark need no redrawing.

const esc = (s) => String(s).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c]));
const colour = (i) => `var(--c${i % 8})`;
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
  const { left = 40, right = 12, top = 10, bottom = 38 } = options;
  const sx = (v) => left + ((v - x[0]) / (x[1] - x[0] || 1)) * (w - left - right);
  const sy = (v) => h - bottom - ((v - y[0]) / (y[1] - y[0] || 1)) * (h - top - bottom);
  let svg = "";
  for (const t of ticks(y[0], y[1])) {
    svg += `<line class="gridline" x1="${left}" x2="${w - right}" y1="${sy(t)}" y2="${sy(t)}"/><text x="${left - 7}" y="${sy(t) + 4}" text-anchor="end">${+t.toFixed(3)}</text>`;
  }
  svg += `<line class="axis" x1="${left}" x2="${w - right}" y1="${h - bottom}" y2="${h - bottom}"/>`;
  for (const [v, label] of options.xTicks) svg += `<text x="${sx(v)}" y="${h - bottom + 16}" text-anchor="middle">${esc(label)}</text>`;
  if (options.xLabel) svg += `<text x="${(left + w - right) / 2}" y="${h - 3}" text-anchor="middle">${esc(options.xLabel)}</text>`;
  return { sx, sy, svg };
}

const around = (values, share = 0.06) => {
  const low = Math.min(...values), high = Math.max(...values), room = (high - low || 1) * share;
  return [low - room, high + room];
};

const legend = (names) => `<div class="legend">${names.map((n, i) => `<span><i style="background:${colour(i)}"></i>${esc(n)}</span>`).join("")}</div>`;

// series: [{name, points: [{x, y, sd, tip}]}]; places: labels along x
function lineChart(series, places) {
  const w = 480, h = 270;
  const all = series.flatMap((s) => s.points.flatMap((p) => [p.y - p.sd, p.y + p.sd]));
  const every = Math.ceil(places.length / 14);
  const xTicks = places.map((label, i) => [i, label]).filter(([i, label]) => (i % every === 0 && i < places.length - 2) || String(label).includes("+") || i === places.length - 2);
  const f = frame(w, h, [0, Math.max(places.length - 1, 1)], around(all), { xTicks, xLabel: "layer" });
  let svg = f.svg;
  series.forEach((s, i) => {
    const runs = [s.points.filter((p) => !String(places[p.x]).includes("+")), s.points.filter((p) => String(places[p.x]).includes("+"))];
    const p = runs[0];
    if (p.length > 1) {
      const up = p.map((q) => `${f.sx(q.x)},${f.sy(q.y + q.sd)}`), down = p.map((q) => `${f.sx(q.x)},${f.sy(q.y - q.sd)}`).reverse();
      svg += `<polygon points="${up.concat(down).join(" ")}" style="fill:${colour(i)}" opacity=".13"/>`;
      svg += `<polyline points="${p.map((q) => `${f.sx(q.x)},${f.sy(q.y)}`).join(" ")}" fill="none" style="stroke:${colour(i)}" stroke-width="2"/>`;
    }
    for (const q of runs[1]) svg += `<line x1="${f.sx(q.x)}" x2="${f.sx(q.x)}" y1="${f.sy(q.y - q.sd)}" y2="${f.sy(q.y + q.sd)}" style="stroke:${colour(i)}" opacity=".35" stroke-width="5"/>`;
    for (const q of s.points) svg += `<circle cx="${f.sx(q.x)}" cy="${f.sy(q.y)}" r="3.4" style="fill:${colour(i)}"${tip(q.tip)}/>`;
  });
  return `<svg viewBox="0 0 ${w} ${h}" role="img">${svg}</svg>${legend(series.map((s) => s.name))}`;
}

// series: [{name, points: [{x, y, tip}]}]
function scatter(series, xLabel, yLabel) {
  const w = 480, h = 300;
  const x = around(series.flatMap((s) => s.points.map((p) => p.x))), y = around(series.flatMap((s) => s.points.map((p) => p.y)));
  const f = frame(w, h, x, y, { xTicks: ticks(x[0], x[1], 6).map((t) => [t, +t.toFixed(2)]), xLabel, top: 22 });
  let svg = f.svg + `<text x="4" y="11">${esc(yLabel)}</text>`;
  series.forEach((s, i) => {
    for (const p of s.points) svg += `<circle cx="${f.sx(p.x)}" cy="${f.sy(p.y)}" r="4" style="fill:${colour(i)}" fill-opacity=".62"${tip(p.tip)}/>`;
  });
  return `<svg viewBox="0 0 ${w} ${h}" role="img">${svg}</svg>${legend(series.map((s) => s.name))}`;
}

const STOPS = [[38, 24, 74], [52, 78, 128], [44, 133, 132], [110, 186, 110], [246, 222, 88]];
function shade(share) {
  const at = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1), i = Math.min(Math.floor(at), STOPS.length - 2);
  return `rgb(${STOPS[i].map((a, k) => Math.round(a + (STOPS[i + 1][k] - a) * (at - i))).join(",")})`;
}

// value(row, column) -> {y, tip} or undefined; `sets`: the first column that is an average of several layers
function heatMap(rows, columns, value, sets) {
  const w = 480, left = 40, top = 6, cell = (w - left - 8) / columns.length, tall = Math.min(26, Math.max(16, cell));
  const h = top + rows.length * tall + 40;
  const all = rows.flatMap((r) => columns.map((c) => value(r, c))).filter(Boolean);
  const low = Math.min(...all.map((v) => v.y)), high = Math.max(...all.map((v) => v.y));
  let svg = "", marked = false;
  rows.forEach((r, i) => {
    svg += `<text x="${left - 7}" y="${top + i * tall + tall / 2 + 4}" text-anchor="end">${r}</text>`;
    columns.forEach((c, j) => {
      const v = value(r, c);
      if (!v) return;
      const x = left + j * cell, y = top + i * tall;
      svg += `<rect x="${x}" y="${y}" width="${cell + 0.3}" height="${tall + 0.3}" fill="${shade((v.y - low) / (high - low || 1))}"${tip(v.tip)}/>`;
      if (v.y === high && !marked) {
        marked = true;
        svg += `<text x="${x + cell / 2}" y="${y + tall / 2 + 5}" text-anchor="middle" style="fill:#1d1303;font-size:15px;font-weight:700;pointer-events:none">×</text>`;
      }
    });
  });
  columns.forEach((c, j) => {
    const x = left + (j + 0.5) * cell, y = top + rows.length * tall + 15;
    svg += String(c).includes("+") ? `<text x="${x}" y="${y}" text-anchor="end" transform="rotate(-38 ${x} ${y - 4})" style="font-size:10px">${esc(c)}</text>` : `<text x="${x}" y="${y}" text-anchor="middle">${esc(c)}</text>`;
  });
  if (sets > 0) svg += `<line x1="${left + sets * cell}" x2="${left + sets * cell}" y1="${top}" y2="${top + rows.length * tall}" stroke="var(--card)" stroke-width="3"/>`;
  return `<svg viewBox="0 0 ${w} ${h}" role="img">${svg}</svg><p class="sub">from ${low.toFixed(1)} (dark) to ${high.toFixed(1)} (light)</p>`;
}

function pearson(points) {
  const n = points.length;
  if (n < 3) return null;
  const mx = points.reduce((a, p) => a + p.x, 0) / n, my = points.reduce((a, p) => a + p.y, 0) / n;
  let xy = 0, xx = 0, yy = 0;
  for (const p of points) { xy += (p.x - mx) * (p.y - my); xx += (p.x - mx) ** 2; yy += (p.y - my) ** 2; }
  return xx && yy ? xy / Math.sqrt(xx * yy) : null;
}
