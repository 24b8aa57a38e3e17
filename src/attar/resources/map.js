"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const canvas = byId("map"), pen = canvas.getContext("2d"), tip = byId("tip");
const n = data.x.length, SIDE = 10000, GRID = 100;
const lower = data.texts.map((t) => t.toLowerCase());
let chosen = -1, pointed = -1, match = null, hovered = -1;
const view = { scale: 1, x: 0, y: 0, fit: 1 };

function dark() { return document.documentElement.dataset.theme === "dark"; }
// Ten colours that can be told apart; light and dark give them another lightness. With more groups, shapes tell them apart.
const HUES = [[12, 78], [214, 72], [133, 52], [44, 92], [283, 52], [186, 80], [332, 72], [84, 62], [25, 38], [230, 12]];
const SHAPES = ["●", "▲", "■", "◆", "▼", "✚"];

// Each colour is used once before any is used twice, and then by the groups that lie farthest from each other.
function dress() {
  const worn = [], apart = (a, b) => Math.hypot(a.at[0] - b.at[0], a.at[1] - b.at[1]);
  data.groups.forEach((group, g) => {
    const round = Math.floor(g / HUES.length);
    let best = 0, farthest = -1;
    for (let hue = 0; hue < HUES.length; hue++) {
      const like = worn.filter((w) => w.hue === hue);
      if (like.length > round) continue;
      const gap = like.length ? Math.min(...like.map((w) => apart(w.group, group))) : 1e9 - hue;
      if (gap > farthest) { farthest = gap; best = hue; }
    }
    worn.push({ group, hue: best, shape: SHAPES[round % SHAPES.length] });
  });
  return worn;
}
const worn = dress();

function colour(group) {
  const [hue, strength] = HUES[worn[group].hue], yellow = hue > 35 && hue < 100;
  return `hsl(${hue} ${strength}% ${dark() ? 66 : yellow ? 38 : 45}%)`;
}

// Points by cells of a grid, to find the one under the pointer without looking at all.
const cells = Array.from({ length: GRID * GRID }, () => []);
const cellOf = (v) => Math.min(GRID - 1, Math.max(0, Math.floor((v / SIDE) * GRID)));
for (let i = 0; i < n; i++) cells[cellOf(data.y[i]) * GRID + cellOf(data.x[i])].push(i);

const members = data.groups.map(() => []);
for (let i = 0; i < n; i++) members[data.groups_of[i]].push(i);
const toX = (v) => view.x + v * view.scale, toY = (v) => view.y + v * view.scale;
const only = () => (pointed >= 0 ? pointed : chosen);
const within = (i, group) => (group < 0 || data.groups_of[i] === group) && (match === null || match[i]);
const shown = (i) => within(i, only());

// The outline of a shape around the middle, as points within a circle of radius 1.25; "●" has none.
const OUTLINES = {
  "▲": [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]],
  "▼": [[0, 1.2], [1.1, -0.8], [-1.1, -0.8]],
  "■": [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
  "◆": [[0, -1.25], [1.05, 0], [0, 1.25], [-1.05, 0]],
  "✚": [[-0.4, -1.15], [0.4, -1.15], [0.4, -0.4], [1.15, -0.4], [1.15, 0.4], [0.4, 0.4], [0.4, 1.15], [-0.4, 1.15], [-0.4, 0.4], [-1.15, 0.4], [-1.15, -0.4], [-0.4, -0.4]],
};

function sprite(fill, shape, size, ratio) {
  const made = document.createElement("canvas");
  made.width = made.height = Math.ceil(size * 2.5 * ratio) + 2;
  const c = made.getContext("2d"), middle = made.width / 2, outline = OUTLINES[shape];
  c.fillStyle = fill;
  c.beginPath();
  if (outline) for (const [x, y] of outline) c.lineTo(middle + x * size * ratio, middle + y * size * ratio);
  else c.arc(middle, middle, size * ratio, 0, 7);
  c.fill();
  return made;
}

function draw() {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const zoomed = view.scale / view.fit, size = Math.min(7, (n > 6000 ? 1.7 : n > 1500 ? 2.4 : 3.4) * Math.sqrt(zoomed));
  const grey = sprite(dark() ? "#4a5157" : "#d3d0c9", "●", size * 0.8, ratio);
  const dots = data.groups.map((_, g) => sprite(colour(g), worn[g].shape, size, ratio));
  const small = n > 3000 && size * ratio < 3, side = Math.max(2, Math.round(size * ratio * 1.8));  // squares are quicker
  const put = (i, dot) => {
    const x = toX(data.x[i]), y = toY(data.y[i]);
    if (x < -9 || y < -9 || x > w + 9 || y > h + 9) return;
    if (small) pen.fillRect(x * ratio - side / 2, y * ratio - side / 2, side, side);
    else pen.drawImage(dot, x * ratio - dot.width / 2, y * ratio - dot.height / 2);
  };
  pen.globalAlpha = 0.6;
  const some = only() >= 0 || match !== null;
  pen.fillStyle = dark() ? "#4a5157" : "#d3d0c9";
  if (some) for (let i = 0; i < n; i++) if (!shown(i)) put(i, grey);
  pen.globalAlpha = 0.85;
  members.forEach((rows, g) => {
    pen.fillStyle = colour(g);
    for (const i of rows) if (!some || shown(i)) put(i, dots[g]);
  });
  pen.globalAlpha = 1;
  names(ratio, w, h);
  if (hovered >= 0) {
    pen.strokeStyle = dark() ? "#fff" : "#000";
    pen.lineWidth = 1.6 * ratio;
    pen.beginPath();
    pen.arc(toX(data.x[hovered]) * ratio, toY(data.y[hovered]) * ratio, (size + 3) * ratio, 0, 7);
    pen.stroke();
  }
}

function names(ratio, w, h) {
  const taken = [];
  pen.font = `600 ${12 * ratio}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.lineWidth = 3.5 * ratio;
  pen.strokeStyle = dark() ? "#1c2024" : "#ffffff";
  data.groups.forEach((group, g) => {
    if (only() >= 0 && only() !== g) return;
    const x = toX(group.at[0]), y = toY(group.at[1]), half = pen.measureText(group.name).width / ratio / 2;
    if (x < 0 || y < 0 || x > w || y > h) return;
    if (taken.some((b) => Math.abs(b.x - x) < b.half + half && Math.abs(b.y - y) < 16)) return;
    taken.push({ x, y, half });
    pen.strokeText(group.name, x * ratio, y * ratio);
    pen.fillStyle = dark() ? "#f2efe9" : "#1d2327";
    pen.fillText(group.name, x * ratio, y * ratio);
  });
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

function fit() {
  const w = canvas.clientWidth, h = canvas.clientHeight;
  view.fit = view.scale = (Math.min(w, h) - 40) / SIDE;
  view.x = (w - SIDE * view.scale) / 2;
  view.y = (h - SIDE * view.scale) / 2;
  redraw();
}

function zoom(factor, x, y) {
  const scale = Math.min(view.fit * 60, Math.max(view.fit * 0.7, view.scale * factor));
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  redraw();
}

function nearest(x, y) {
  const dx = (x - view.x) / view.scale, dy = (y - view.y) / view.scale, reach = 14 / view.scale;
  let best = -1, least = reach * reach;
  for (let r = cellOf(dy - reach); r <= cellOf(dy + reach); r++)
    for (let c = cellOf(dx - reach); c <= cellOf(dx + reach); c++)
      for (const i of cells[r * GRID + c]) {
        const d = (data.x[i] - dx) ** 2 + (data.y[i] - dy) ** 2;
        if (d < least && shown(i)) { least = d; best = i; }
      }
  return best;
}

function hover(i) {
  if (i === hovered) return;
  hovered = i;
  tip.hidden = i < 0;
  buttons.forEach((b, g) => b.classList.toggle("under", i >= 0 && data.groups_of[i] === g));
  if (i >= 0) {
    const text = data.texts[i], name = document.createElement("b");
    name.textContent = data.groups[data.groups_of[i]].name;
    name.style.color = colour(data.groups_of[i]);
    tip.replaceChildren(name, text, ` (${data.ids[i]})`);
    const x = toX(data.x[i]), y = toY(data.y[i]), w = canvas.clientWidth;
    tip.style.left = `${Math.max(6, Math.min(x + 14, w - tip.offsetWidth - 8))}px`;
    tip.style.top = `${y + tip.offsetHeight + 24 > canvas.clientHeight ? Math.max(6, y - tip.offsetHeight - 12) : y + 14}px`;
  }
  redraw();
}

const fingers = new Map();
canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); fingers.set(e.pointerId, e); });
canvas.addEventListener("pointermove", (e) => {
  const before = fingers.get(e.pointerId);
  if (!before) { hover(nearest(e.offsetX, e.offsetY)); return; }
  if (fingers.size === 2) {
    const other = [...fingers.values()].find((f) => f.pointerId !== e.pointerId);
    const span = (f) => Math.hypot(f.offsetX - other.offsetX, f.offsetY - other.offsetY) || 1;
    zoom(span(e) / span(before), (e.offsetX + other.offsetX) / 2, (e.offsetY + other.offsetY) / 2);
  } else { view.x += e.offsetX - before.offsetX; view.y += e.offsetY - before.offsetY; hover(-1); redraw(); }
  fingers.set(e.pointerId, e);
});
for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (e) => { fingers.delete(e.pointerId); hover(nearest(e.offsetX, e.offsetY)); });
canvas.addEventListener("pointerleave", () => { if (!fingers.size) hover(-1); });
canvas.addEventListener("wheel", (e) => { e.preventDefault(); zoom(Math.exp(-e.deltaY * 0.0015), e.offsetX, e.offsetY); }, { passive: false });
canvas.addEventListener("dblclick", (e) => zoom(2, e.offsetX, e.offsetY));
canvas.addEventListener("keydown", (e) => {
  const middle = [canvas.clientWidth / 2, canvas.clientHeight / 2], step = 60;
  const moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
  if (moves[e.key]) { view.x += moves[e.key][0]; view.y += moves[e.key][1]; redraw(); e.preventDefault(); }
  else if (e.key === "+" || e.key === "=") zoom(1.4, ...middle);
  else if (e.key === "-") zoom(1 / 1.4, ...middle);
  else if (e.key === "0" || e.key === "Escape") fit();
});
byId("in").addEventListener("click", () => zoom(1.6, canvas.clientWidth / 2, canvas.clientHeight / 2));
byId("out").addEventListener("click", () => zoom(1 / 1.6, canvas.clientWidth / 2, canvas.clientHeight / 2));
byId("reset").addEventListener("click", fit);

function filter() {
  const wanted = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  match = wanted.length ? lower.map((t) => wanted.every((w) => t.includes(w))) : null;
  list();
  redraw();
}

function list() {
  const some = chosen >= 0 || match !== null, rows = [];
  let total = 0;
  for (let i = 0; some && i < n; i++) if (within(i, chosen) && ++total <= 60) rows.push(i);
  byId("count").textContent = some ? `${total.toLocaleString("en")} of ${n.toLocaleString("en")} texts${total > 60 ? "; the first 60:" : ""}` : "";
  byId("found").replaceChildren(...rows.map((i) => {
    const item = document.createElement("li");
    item.textContent = data.texts[i];
    return item;
  }));
}
byId("filter").addEventListener("input", filter);

const buttons = data.groups.map((group, g) => {
  const button = document.createElement("button"), dot = document.createElement("i"), size = document.createElement("small");
  button.type = "button";
  button.title = group.words.join(", ");
  button.setAttribute("aria-pressed", "false");
  size.textContent = group.size.toLocaleString("en");
  const name = document.createElement("span");
  name.textContent = group.name;
  button.append(dot, name, size);
  button.addEventListener("click", () => {
    chosen = chosen === g ? -1 : g;
    buttons.forEach((b, other) => b.setAttribute("aria-pressed", String(other === chosen)));
    list();
    redraw();
  });
  dot.textContent = worn[g].shape;
  button.addEventListener("pointerenter", () => { pointed = g; redraw(); });
  button.addEventListener("pointerleave", () => { pointed = -1; redraw(); });
  const item = document.createElement("li");
  item.append(button);
  byId("groups").append(item);
  return button;
});

function paint(theme) {
  document.documentElement.dataset.theme = theme;
  buttons.forEach((b, g) => { b.firstChild.style.color = colour(g); });
  redraw();
}
byId("theme").addEventListener("click", () => paint(dark() ? "light" : "dark"));
paint(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
byId("lead").textContent = data.lead;
byId("foot").textContent = data.foot;
new ResizeObserver(() => { if (view.scale === view.fit || view.scale === 1) fit(); else redraw(); }).observe(canvas);
fit();
