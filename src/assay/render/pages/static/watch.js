// While the page is looked at: says that the store has grown, and leaves the page as it is.
const held = document.querySelector("[data-watch]");
const news = document.querySelector("[data-news]");
const EVERY = 2000;
let told = held?.dataset.watch;
const look = async () => {
  if (document.visibilityState !== "visible") return;
  try {
    const now = await (await fetch("/changes")).json();
    if (now.newest === told) return;
    told = now.newest;
    const fresh = now.runs - Number(held.dataset.runs);
    const words = fresh === 1 ? held.dataset.one : fresh > 1 ? held.dataset.many.replace("{n}", fresh.toLocaleString("en")) : held.dataset.other;
    const link = document.createElement("a");
    link.href = location.href;
    link.textContent = held.dataset.show;
    link.addEventListener("click", (event) => { event.preventDefault(); location.reload(); });
    news.replaceChildren(`${words} · `, link);
  } catch { /* the server is gone; the page stays */ }
};
if (held && news) setInterval(look, EVERY);
