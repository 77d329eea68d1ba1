// One run: where values came from, in both directions; the filter of the calls; folding; copying.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// What points to a value, and the value, light up together.
const origin = () => $("#origin");
const light = (source, on) => {
  source?.classList.toggle("lit", on);
  source?.closest(".call")?.classList.toggle("lit", on);
};
const say = (text) => { if (origin()) origin().textContent = text; };
const pointAtUser = (user, on) => {
  const source = user.dataset.ref && document.getElementById(user.dataset.ref);
  user.classList.toggle("lit", on);
  light(source, on);
  const value = source?.matches("mark") ? ` = ${source.textContent.slice(0, 80)}` : "";
  if (user.dataset.src) say(on ? `← ${user.dataset.src}${value}` : "");
};
const pointAtMark = (mark, on) => {
  light(mark, on);
  for (const user of $$(`[data-ref="${CSS.escape(mark.id)}"]`)) user.classList.toggle("lit", on);
};
// Heard on the document, so that calls that come later answer too.
const point = (on) => (event) => {
  const element = event.target.closest?.(".src[data-src],.from,mark[id]");
  if (!element || element.contains(event.relatedTarget)) return;
  (element.matches("mark") ? pointAtMark : pointAtUser)(element, on);
};
for (const name of ["mouseover", "focusin"]) document.addEventListener(name, point(true));
for (const name of ["mouseout", "focusout"]) document.addEventListener(name, point(false));

// An address inside the page opens what it points into.
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView({ block: target.matches("mark") ? "center" : "start" });
  if (target.matches("mark")) { light(target, true); setTimeout(() => light(target, false), 2000); }
};
addEventListener("hashchange", reveal);

// The filter, kept in the address; its counts are of all calls, whatever is chosen.
const calls = () => $$(".call");
let chosen = "all";
const show = () => {
  const text = $(".find-call")?.value.trim().toLowerCase() ?? "";
  let count = 0;
  for (const call of calls()) {
    const fits = chosen === "all" || call.dataset.st === chosen || call.dataset.blame === chosen;
    call.hidden = !(fits && (!text || call.textContent.toLowerCase().includes(text)));
    count += !call.hidden;
  }
  for (const group of $$(".turn,.okfold")) group.hidden = !$(".call:not([hidden])", group);
  if (chosen !== "all" || text) for (const fold of $$(".okfold")) fold.open = true;
  for (const button of $$("[data-f]")) button.setAttribute("aria-pressed", button.dataset.f === chosen);
  const all = calls().length;
  const shown = $("#shown");
  shown.textContent = count === all ? "" : shown.dataset.words.replace("{n}", count).replace("{total}", all);
  const address = new URL(location);
  if (chosen === "all") address.searchParams.delete("show"); else address.searchParams.set("show", chosen);
  if (address.href !== location.href) history.replaceState(null, "", address);
};
document.addEventListener("input", (event) => { if (event.target.matches(".find-call")) show(); });

const acts = {
  "a[href^='#']": (link) => { if (link.hash === location.hash) reveal(); },
  "[data-f]": (button) => { chosen = button.dataset.f; show(); },
  "[data-all]": () => {
    const open = calls().some((call) => !call.hidden && !call.open);
    for (const fold of $$(".okfold")) fold.open = true;
    for (const call of calls()) if (!call.hidden) call.open = open;
  },
  ".copy": (button) => navigator.clipboard?.writeText($(button.dataset.copy).textContent),
  ".unfold": (button) => button.setAttribute("aria-expanded", $(button.dataset.more).classList.toggle("whole")),
};
document.addEventListener("click", (event) => {
  for (const [selector, act] of Object.entries(acts)) {
    const element = event.target.closest(selector);
    if (element) act(element);
  }
});

// What only scripts can do is shown where there are scripts.
const begin = () => { for (const part of $$(".bar-f,.copy,.unfold")) part.hidden = false; };
begin();
addEventListener("brought", () => {
  begin();
  if ($(".bar-f") && (chosen !== "all" || $(".find-call").value)) show();
});
const asked = new URL(location).searchParams.get("show");
if (asked && $(`[data-f="${CSS.escape(asked)}"]`)) { chosen = asked; show(); }
reveal();
