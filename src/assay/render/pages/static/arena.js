// The arena while it is looked at: news of the session as they come, parts swapped whole, text only ever as text.
const root = document.querySelector("#arena");
const id = root?.dataset.session; // its address
const note = root?.querySelector("[data-note]");
const ask = root?.querySelector("[data-ask]");
const field = ask?.querySelector("textarea");
const stop = root?.querySelector("[data-stop]");
const now = root?.querySelector("#now");
const earlier = root?.querySelector("#earlier");

let said = 0;
const tell = (text) => { const wait = Math.max(0, said + 1000 - Date.now()); said = Date.now() + wait; setTimeout(() => { note.textContent = text; }, wait); };

const post = async (form, body) => {
  try {
    const reply = await fetch(form.action, { method: "POST", headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" }, body });
    if (reply.ok) return true;
    tell(reply.status === 404 ? root.dataset.lost : (await reply.json()).problem);
  } catch { tell(root.dataset.gone); }
  return false;
};

const running = (is) => {
  if (!stop) return;
  ask.querySelector("[data-send]").disabled = is;
  root.querySelectorAll("[data-suggested] button").forEach((button) => { button.disabled = is; });
  if (!is && stop.contains(document.activeElement)) field.focus({ preventScroll: true });
  stop.hidden = !is;
  progress();
};

// How many answers are there, and for how long the newest prompt is being answered.
const progress = () => {
  const article = now?.querySelector("article");
  const place = stop?.querySelector("[data-progress]");
  if (!article || !place || stop.hidden) return;
  const { attempt, of, began } = article.dataset;
  const cells = [...article.querySelectorAll(".cell")];
  const done = (attempt - 1) * cells.length + cells.filter((cell) => cell.dataset.state !== "running").length;
  const seconds = Math.max(0, Math.round(Date.now() / 1000 - began));
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  place.textContent = `${place.dataset.progress.replace("{done}", done).replace("{total}", of * cells.length)} · ${clock}`;
};
setInterval(progress, 1000);

// Who has answered a prompt so far: the last of them alone would seem to be the only one.
const answers = (part) => [...part.closest("article").querySelectorAll(".cell")]
  .filter((each) => each.dataset.state !== "running").map((each) => each.dataset.told).join(" · ");
// Whether somebody has answered between the old part, a cell or a whole prompt, and the fresh one.
const cells = (part) => (part.matches(".cell") ? [part] : [...part.querySelectorAll(".cell")]);
const isAnswered = (old, fresh) => {
  const ended = new Set(cells(fresh).filter((cell) => cell.dataset.state !== "running").map((cell) => cell.id));
  return cells(old).some((cell) => cell.dataset.state === "running" && ended.has(cell.id));
};

// What the reader has opened stays open when its part is swapped, what was scrolled or has the focus stays so.
const SCROLLED = "[data-answer],.calls,.asked h2,.error,pre";
const swap = (old, fresh) => {
  const open = [...old.querySelectorAll("details[open][data-key]")];
  const scrolled = [...old.querySelectorAll(SCROLLED)].filter((box) => box.scrollTop);
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  // The same place in the fresh part: by the cell, then by its key, then by its order there.
  const twin = (box) => {
    const cell = box.closest(".cell");
    const [from, to] = cell && cell !== old ? [cell, fresh.querySelector(`#${CSS.escape(cell.id)}`)] : [old, fresh];
    const key = box.closest("[data-key]")?.dataset.key;
    const within = (part) => (key && part?.querySelector(`[data-key="${CSS.escape(key)}"]`)) || part;
    const like = (part) => [...(within(part)?.querySelectorAll(box.tagName) ?? [])];
    return like(to)[like(from).indexOf(box)];
  };
  const places = scrolled.map((box) => [twin(box), box.scrollTop]);
  const next = focused && twin(focused);
  open.map((details) => [details.closest(".cell"), details.dataset.key]).forEach(([cell, key]) => {
    const part = cell && cell !== old ? fresh.querySelector(`#${CSS.escape(cell.id)}`) : fresh;
    part?.querySelector(`details[data-key="${CSS.escape(key)}"]`)?.setAttribute("open", "");
  });
  old.replaceWith(fresh);
  places.forEach(([box, top]) => { if (box) box.scrollTop = top; });
  next?.focus({ preventScroll: true });
  if (isAnswered(old, fresh)) tell(answers(fresh));
};
const fetched = async (path) => {
  const reply = await fetch(`${id}/${path}`);
  if (!reply.ok) throw new Error(String(reply.status));
  return new DOMParser().parseFromString(await reply.text(), "text/html").body;
};

// One fetch of a part at a time; a part that changes meanwhile is fetched once more, and news of it wait.
const busy = new Map();
const later = new Map();
const refresh = async (key, path, place) => {
  if (busy.has(key)) { busy.set(key, true); return; }
  do {
    busy.set(key, false);
    try { place(await fetched(path)); } catch { tell(root.dataset.gone); }
  } while (busy.get(key));
  busy.delete(key);
  const waiting = later.get(key) ?? [];
  later.delete(key);
  waiting.forEach(hear);
};
const waits = (key, news) => {
  if (!busy.has(key)) return false;
  later.set(key, [...(later.get(key) ?? []), news]);
  return true;
};
const refreshCell = (news) => {
  const name = `p${news.prompt}-${news.letter}`;
  refresh(name, `prompts/${news.prompt}/${news.letter}`, (body) => {
    const old = document.getElementById(name);
    const fresh = body.querySelector("section");
    if (!old || !fresh || Number(fresh.dataset.seq) < Number(old.dataset.seq)) return;
    swap(old, fresh);
  });
};
const placePrompt = (number) => (body) => {
  const fresh = body.querySelector("article");
  const old = document.getElementById(`p${number}`);
  if (old) { swap(old, fresh); return; }
  if (now.firstElementChild) earlier.prepend(now.firstElementChild);
  now.replaceChildren(fresh);
};
const placeVerdict = (body) => {
  for (const name of ["claim", "waiting", "verdict"]) {
    const fresh = body.querySelector(`#${name}`);
    const old = document.getElementById(name);
    if (old && fresh) old.replaceWith(fresh);
    else if (fresh) now.after(fresh);
  }
};

const heard = {
  prompt: (news) => { running(true); refresh(`p${news.prompt}`, `prompts/${news.prompt}`, placePrompt(news.prompt)); },
  cell: refreshCell,
  delta: (news) => {
    const cell = document.getElementById(`p${news.prompt}-${news.letter}`);
    if (!cell || news.seq <= Number(cell.dataset.seq)) return;
    if (news.after !== Number(cell.dataset.seq)) { refreshCell(news); return; }
    cell.dataset.seq = news.seq;
    cell.querySelector("[data-answer]").append(news.text);
  },
  done: (news) => {
    running(false);
    refresh(`p${news.prompt}`, `prompts/${news.prompt}`, placePrompt(news.prompt));
    refresh("verdict", "verdict", placeVerdict);
  },
  problem: (news) => {
    const place = root.querySelector("[data-problem]");
    place.textContent = news.text;
    place.hidden = !news.text;
  },
  reload: () => { draft(field.value); location.reload(); },
};

// What is being typed outlives a reload that the reader did not ask for.
const draft = (text) => { try { sessionStorage.setItem(`draft ${id}`, text); } catch { /* private window */ } };
const drafted = () => { try { return sessionStorage.getItem(`draft ${id}`); } catch { return null; } };

// Earlier prompts come below those that are there; the newest goes on being answered above.
const loadEarlier = async (link) => {
  if (link.getAttribute("aria-busy")) return;
  link.setAttribute("aria-busy", "true");
  try {
    const body = await fetched(`earlier?before=${link.dataset.more}`);
    const fresh = [...body.querySelectorAll("article")].filter((article) => !document.getElementById(article.id));
    earlier.append(...fresh);
    document.getElementById("more").replaceWith(body.querySelector("#more"));
    fresh[0]?.querySelector("h2").focus({ preventScroll: true });
  } catch { link.removeAttribute("aria-busy"); tell(root.dataset.gone); }
};
root?.addEventListener("click", (event) => {
  const link = event.target.closest("[data-more]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  loadEarlier(link);
});
// An address that names a prompt which is not shown leads to the page that has it.
const seek = () => {
  const number = Number(/^#p(\d+)/.exec(location.hash)?.[1] ?? 0);
  const there = `?before=${number + 1}`;
  if (!id || !number || number >= Number(root.dataset.newest)) return;
  if (!document.getElementById(`p${number}`) && location.search !== there) location.replace(there + location.hash);
};
addEventListener("hashchange", seek);
seek();

const hear = (news) => {
  const prompt = `p${news.prompt}`;
  const ofCell = news.kind === "cell" || news.kind === "delta";
  if (ofCell && waits(prompt, news)) return;
  if (news.kind === "delta" && waits(`${prompt}-${news.letter}`, news)) return;
  heard[news.kind]?.(news);
};

if (id && field && !field.value) { field.value = drafted() ?? ""; draft(""); }
if (id && "live" in root.dataset) {
  root.querySelector("[data-look]")?.remove(); // for readers without scripts
  const stream = new EventSource(`${id}/events?after=${root.dataset.seq}`);
  stream.onmessage = (event) => { hear(JSON.parse(event.data)); };
  // A server that has let the session go says so by ending the stream for good.
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) ended(); else tell(root.dataset.gone);
  };
  const ended = async () => {
    running(false);
    const known = await fetch(`${id}/events`).catch(() => null);
    if (known?.status === 404) { tell(root.dataset.lost); return; }
    // What was being answered ended with the server: the store has what came of it.
    if (known && root.querySelector(".cell[data-state=running]")) heard.reload();
    else tell(root.dataset.left);
  };
  stream.onopen = () => { note.textContent = ""; };
  ask.addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = event.submitter?.name === "prompt" ? event.submitter.value : null;
    const typed = field.value;
    const sent = await post(ask, new URLSearchParams({ prompt: chosen ?? typed, repeat: ask.elements.repeat.value }));
    if (!sent) return;
    if (stream.readyState === EventSource.CLOSED) { location.reload(); return; }
    ask.elements.repeat.value = "1";
    // Whoever types on meanwhile keeps that: answers may be there before the word that they come.
    if (chosen === null && field.value === typed) field.value = "";
    field.focus({ preventScroll: true });
  });
  progress();
  stop.addEventListener("submit", (event) => { event.preventDefault(); post(stop, ""); });
}
const choices = [...(ask?.querySelectorAll("[name=agents]") ?? [])];
if (choices.length) ask.addEventListener("submit", (event) => {
  if (choices.some((box) => box.checked)) return;
  event.preventDefault();
  tell(root.dataset.nobody);
  choices[0].focus();
});
field?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); ask.requestSubmit(); }
});

const buttons = [...(root?.querySelectorAll("[data-show]") ?? [])];
const show = (letter) => {
  root.dataset.shown = letter;
  buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.show === letter)));
};
buttons.forEach((button) => button.addEventListener("click", () => show(button.dataset.show)));
if (buttons.length) show(buttons[0].dataset.show);
