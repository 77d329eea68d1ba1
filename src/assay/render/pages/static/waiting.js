// Asks for the page again until it is counted, and shows it in place: a page that loaded itself anew
// each second would lose the keys pressed meanwhile, and the place of whoever has it read to them.
const EVERY = 1000;
const named = (page, kind, attribute) => [...page.querySelectorAll(kind)].map((one) => one.getAttribute(attribute));
const missing = (page, kind, attribute) => {
  const here = new Set(named(document, kind, attribute));
  return named(page, kind, attribute).filter((address) => !here.has(address));
};

const show = (page) => {
  document.title = page.title;
  for (const href of missing(page, "link[rel=stylesheet]", "href"))
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
  for (const part of ["main", "footer"])
    document.querySelector(part).replaceChildren(...page.querySelector(part).childNodes);
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
  for (const address of missing(page, "script[type=module]", "src")) import(address);
};

const ask = async () => {
  let reply = null;
  try { reply = await fetch(location.href); } catch { /* the server is gone, perhaps not for good */ }
  if (reply === null || reply.status === 202) setTimeout(ask, EVERY);
  else if (reply.status === 200) show(new DOMParser().parseFromString(await reply.text(), "text/html"));
  else location.reload();
};
setTimeout(ask, EVERY);
