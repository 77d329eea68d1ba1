// Keys and the theme, on every page. Rows are what carries data-row; a failed one has data-failed.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const remember = (name, value) => { try { localStorage.setItem(name, value); } catch { /* private window */ } };
const recall = (name) => { try { return localStorage.getItem(name); } catch { return null; } };

$("#theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  remember("theme", root.dataset.theme);
});
const help = $("#keys");
$("#help")?.addEventListener("click", () => help.showModal());
const off = $("#keys-off");
if (off) {
  off.checked = recall("keys") === "off";
  off.addEventListener("change", () => remember("keys", off.checked ? "off" : "on"));
}

let current = -1;
const rows = () => $$("[data-row]").filter((row) => !row.hidden);
const go = (row) => {
  $$(".cur").forEach((other) => other.classList.remove("cur"));
  row.classList.add("cur");
  current = rows().indexOf(row);
  row.scrollIntoView({ block: "nearest" });
  (row.matches("summary,a,button") ? row : $("summary,a,button", row))?.focus({ preventScroll: true });
};
const step = (by, selector) => {
  const all = rows();
  for (let i = current + by; i >= 0 && i < all.length; i += by)
    if (!selector || all[i].matches(selector)) return go(all[i]);
};
const follow = (rel) => { const link = $(`a[rel~=${rel}]`); if (link) location.href = link.href; };
const pages = Object.fromEntries($$(".top nav a[data-key]").map((link) => [link.dataset.key, link.href]));
// A check box takes no letters; the help's own keeps the focus for a moment when the help is closed.
const TYPED = "input:not([type=checkbox],[type=radio]),textarea,select";
let before = "";
const actions = {
  j: () => step(1), k: () => step(-1),
  f: () => step(1, "[data-failed]"), F: () => step(-1, "[data-failed]"),
  o: () => { const row = rows()[current]; if (row?.tagName === "DETAILS") row.open = !row.open; else if (row) $("a", row)?.click(); },
  O: () => { const all = rows().filter((row) => row.tagName === "DETAILS"); const open = all.some((row) => !row.open); all.forEach((row) => { row.open = open; }); },
  "[": () => follow("prev"), "]": () => follow("next"),
  "/": () => $("[data-filter]")?.focus(),
  y: () => navigator.clipboard?.writeText(location.href),
  "?": () => help?.showModal(),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(TYPED)) return;
  if (recall("keys") === "off" || help?.open) return;
  const page = before === "g" && pages[event.key];
  before = event.key;
  if (page) { location.href = page; return; }
  const action = actions[event.key];
  if (action) { event.preventDefault(); action(); }
});
