// The report's own script: the theme, tables that sort and filter, values that light up both ways.
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
document.getElementById("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* a private window */ }
});

const said = document.getElementById("words").dataset;

// Numbers sort as numbers, dashes come last, everything else as text.
const worth = (cell) => {
  const text = cell.dataset.s ?? cell.firstChild?.textContent?.trim() ?? "";
  const number = parseFloat(text.replace(/,/g, "").replace("−", "-"));
  return text === "–" || text === "" ? null : cell.classList.contains("r") && !Number.isNaN(number) ? number : text.toLowerCase();
};
const order = (a, b) => (a === null || b === null ? (a === null) - (b === null) : typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
for (const table of $$("table[data-sort]")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  $$("th", table.tHead).forEach((head, place) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
      for (const other of $$("th", table.tHead)) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down === 1 ? "ascending" : "descending");
      const values = new Map(rows.map((row) => [row, worth(row.cells[place])]));
      const missing = (row) => values.get(row) === null;
      body.append(...rows.slice().sort((a, b) => (missing(a) || missing(b) ? missing(a) - missing(b) : down * order(values.get(a), values.get(b)))));
    });
  });
  if (rows.length < 9) continue;
  const line = document.createElement("div");
  line.className = "finder";
  const field = Object.assign(document.createElement("input"), { type: "search", placeholder: said.filter });
  field.setAttribute("aria-label", said.filtered.replace("{what}", table.caption?.textContent ?? ""));
  const counted = document.createElement("span");
  counted.className = "muted small";
  counted.setAttribute("role", "status");
  line.append(field, counted);
  table.before(line);
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) { row.hidden = !row.textContent.toLowerCase().includes(wanted); shown += !row.hidden; }
    counted.textContent = wanted ? said.shown.replace("{n}", shown.toLocaleString("en")).replace("{total}", rows.length.toLocaleString("en")) : "";
  });
}

// What points to a value, and the value, light up together.
const users = new Map();
for (const user of $$("[data-ref]")) users.set(user.dataset.ref, [...(users.get(user.dataset.ref) ?? []), user]);
const lit = (element, on) => { element?.classList.toggle("lit", on); element?.closest(".call")?.classList.toggle("lit", on); };
const both = (element, set) => {
  for (const name of ["mouseenter", "focus"]) element.addEventListener(name, () => set(true));
  for (const name of ["mouseleave", "blur"]) element.addEventListener(name, () => set(false));
};
for (const user of $$(".src[data-src],.from")) both(user, (on) => {
  const source = user.dataset.ref && document.getElementById(user.dataset.ref);
  user.classList.toggle("lit", on);
  lit(source, on);
  const status = user.closest(".run")?.querySelector(".origin");
  const value = source?.matches("mark") && source.textContent ? ` = ${source.textContent.slice(0, 80)}` : "";
  if (status && user.dataset.src) status.textContent = on ? `← ${user.dataset.src}${value}` : "";
});
for (const mark of $$("mark[id]")) both(mark, (on) => { lit(mark, on); for (const user of users.get(mark.id) ?? []) user.classList.toggle("lit", on); });

// An address inside the file opens what it points into.
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView({ block: target.matches("mark") ? "center" : "start" });
  if (target.matches("mark")) { lit(target, true); setTimeout(() => lit(target, false), 2000); }
};
addEventListener("hashchange", reveal);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link && link.hash === location.hash) reveal();
});
for (const button of $$(".copy")) {
  button.hidden = false;
  button.addEventListener("click", () => navigator.clipboard?.writeText(document.querySelector(button.dataset.copy).textContent));
}
for (const button of $$(".unfold")) {
  button.hidden = false;
  button.addEventListener("click", () => button.setAttribute("aria-expanded", document.querySelector(button.dataset.more).classList.toggle("whole")));
}
reveal();
