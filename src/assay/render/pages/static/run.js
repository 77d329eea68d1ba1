// One run: where values came from, in both directions; the filter of the calls; folding; copying.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// What points to a value, and the value, light up together.
const origin = $("#origin");
const users = new Map();
for (const user of $$("[data-ref]")) {
  if (!users.has(user.dataset.ref)) users.set(user.dataset.ref, []);
  users.get(user.dataset.ref).push(user);
}
const light = (source, on) => {
  source?.classList.toggle("lit", on);
  source?.closest(".call")?.classList.toggle("lit", on);
};
const say = (text) => { if (origin) origin.textContent = text; };
const both = (element, enter, leave) => {
  for (const name of ["mouseenter", "focus"]) element.addEventListener(name, enter);
  for (const name of ["mouseleave", "blur"]) element.addEventListener(name, leave);
};
for (const user of $$(".src[data-src],.from")) {
  const set = (on) => {
    const source = user.dataset.ref && document.getElementById(user.dataset.ref);
    user.classList.toggle("lit", on);
    light(source, on);
    const value = source?.matches("mark") ? ` = ${source.textContent.slice(0, 80)}` : "";
    if (user.dataset.src) say(on ? `← ${user.dataset.src}${value}` : "");
  };
  both(user, () => set(true), () => set(false));
}
for (const mark of $$("mark[id]")) {
  const set = (on) => { light(mark, on); for (const user of users.get(mark.id) ?? []) user.classList.toggle("lit", on); };
  both(mark, () => set(true), () => set(false));
}

// An address inside the page opens what it points into.
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView({ block: target.matches("mark") ? "center" : "start" });
  if (target.matches("mark")) { light(target, true); setTimeout(() => light(target, false), 2000); }
};
addEventListener("hashchange", reveal);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link && link.hash === location.hash) reveal();
});

// The filter, kept in the address; its counts never change.
const calls = $$(".call");
const shown = $("#shown");
const words = $(".find-call");
let chosen = "all";
const show = () => {
  const text = words?.value.trim().toLowerCase() ?? "";
  let count = 0;
  for (const call of calls) {
    const fits = chosen === "all" || call.dataset.st === chosen || call.dataset.blame === chosen;
    call.hidden = !(fits && (!text || call.textContent.toLowerCase().includes(text)));
    count += !call.hidden;
  }
  for (const group of $$(".turn,.okfold")) group.hidden = !$(".call:not([hidden])", group);
  if (chosen !== "all" || text) for (const fold of $$(".okfold")) fold.open = true;
  for (const button of $$("[data-f]")) button.setAttribute("aria-pressed", button.dataset.f === chosen);
  const all = count === calls.length;
  shown.textContent = all ? "" : shown.dataset.words.replace("{n}", count).replace("{total}", calls.length);
  const address = new URL(location);
  if (chosen === "all") address.searchParams.delete("show"); else address.searchParams.set("show", chosen);
  if (address.href !== location.href) history.replaceState(null, "", address);
};
const bar = $(".bar-f");
if (bar) {
  bar.hidden = false;
  for (const button of $$("[data-f]")) button.addEventListener("click", () => { chosen = button.dataset.f; show(); });
  words.addEventListener("input", show);
  $("[data-all]").addEventListener("click", () => {
    const open = calls.some((call) => !call.hidden && !call.open);
    for (const fold of $$(".okfold")) fold.open = true;
    for (const call of calls) if (!call.hidden) call.open = open;
  });
  const asked = new URL(location).searchParams.get("show");
  if (asked && $(`[data-f="${CSS.escape(asked)}"]`)) { chosen = asked; show(); }
}
for (const button of $$(".copy")) {
  button.hidden = false;
  button.addEventListener("click", () => navigator.clipboard?.writeText($(button.dataset.copy).textContent));
}
for (const button of $$(".unfold")) {
  button.hidden = false;
  button.addEventListener("click", () => button.setAttribute("aria-expanded", $(button.dataset.more).classList.toggle("whole")));
}
reveal();
