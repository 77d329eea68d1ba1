// While the page is looked at: brings what is new in the store if the reader is at rest at the top;
// whoever reads on, types or has marked something is told, and the page stays as it is.
const EVERY = 2000;
const REST = 3000;
let active = 0;
let told = document.querySelector("[data-watch]")?.dataset.watch;
for (const kind of ["pointermove", "pointerdown", "keydown", "wheel", "scroll"])
  addEventListener(kind, () => { active = performance.now(); }, { passive: true });

const rests = () => scrollY < 50 && performance.now() - active > REST && String(getSelection()) === ""
  && document.activeElement === document.body && !document.querySelector("dialog[open]");

const tell = (now) => {
  const held = document.querySelector("[data-watch]").dataset;
  const fresh = now.runs - Number(held.runs);
  const words = fresh === 1 ? held.one : fresh > 1 ? held.many.replace("{n}", fresh.toLocaleString("en")) : held.other;
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = held.show;
  link.addEventListener("click", (event) => { event.preventDefault(); location.reload(); });
  document.querySelector("[data-news]").replaceChildren(`${words} · `, link);
};

const bring = async () => {
  const reply = await fetch(location.href);
  if (reply.status !== 200) return;
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const fresh = page.querySelector("main [data-watch]");
  if (!fresh || !rests()) return;
  document.querySelector("main").replaceChildren(...page.querySelector("main").childNodes);
  told = fresh.dataset.watch;
};

const look = async () => {
  if (document.visibilityState !== "visible") return;
  try {
    const now = await (await fetch("/changes")).json();
    const shown = document.querySelector("[data-watch]").dataset.watch;
    if (now.newest === shown) return;
    if (rests()) await bring();
    else if (now.newest !== told) { tell(now); told = now.newest; }
  } catch { /* the server is gone; the page stays */ }
};
if (told !== undefined) setInterval(look, EVERY);
