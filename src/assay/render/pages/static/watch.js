// While the page is looked at: brings what is new in the store if the reader is at rest at the top;
// whoever reads on, types or has marked something is told, and the page stays as it is. A page that
// says how to ask what became of its own run is brought up to date in place, whatever the reader does.
import { merge } from "./merge.js";

const EVERY = 2000;
const REST = 3000;
const watched = (page = document) => page.querySelector("main [data-watch]");
let active = 0;
let told = watched()?.dataset.watch;
let seen = told;
for (const kind of ["pointermove", "pointerdown", "keydown", "wheel", "scroll"])
  addEventListener(kind, () => { active = performance.now(); }, { passive: true });

const rests = () => scrollY < 50 && performance.now() - active > REST && String(getSelection()) === ""
  && document.activeElement === document.body && !document.querySelector("dialog[open]");

const tell = (now) => {
  const held = watched().dataset;
  const fresh = now.runs - Number(held.runs);
  const words = fresh === 1 ? held.one : fresh > 1 ? held.many.replace("{n}", fresh.toLocaleString("en")) : held.other;
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = held.show;
  link.addEventListener("click", (event) => { event.preventDefault(); location.reload(); });
  document.querySelector("[data-news]").replaceChildren(`${words} · `, link);
};

// The page as it is now, and where it is.
const fetched = async () => {
  const reply = await fetch(location.href);
  if (reply.status !== 200) return {};
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  return { page: watched(page) && page, address: reply.redirected && reply.url };
};

const bring = async () => {
  const { page } = await fetched();
  if (!page || !rests()) return;
  document.querySelector("main").replaceChildren(...page.querySelector("main").childNodes);
  told = watched().dataset.watch;
};

// A run that was recorded further while it was looked at is followed to where it goes on.
const update = async () => {
  const { state, ask } = watched().dataset;
  if ((await (await fetch(ask)).json()).state === state) return;
  const { page, address } = await fetched();
  if (!page) return;
  if (address) history.replaceState(null, "", address.split("#")[0] + location.hash);
  merge(document.querySelector("main"), page.querySelector("main"));
  document.title = page.title;
  document.querySelector("[data-news]").textContent = watched().dataset.brought;
  dispatchEvent(new Event("brought"));
};

const look = async () => {
  if (document.visibilityState !== "visible") return;
  try {
    const now = await (await fetch("/changes")).json();
    const held = watched().dataset;
    if (held.ask) {
      if (now.newest !== seen) await update();
      seen = now.newest;
    } else if (now.newest === held.watch) return;
    else if (rests()) await bring();
    else if (now.newest !== told) { tell(now); told = now.newest; }
  } catch { /* the server is gone; the page stays */ }
};
// What a reader without scripts follows by hand.
document.querySelector("[data-news]")?.replaceChildren();
if (told !== undefined) setInterval(look, EVERY);
