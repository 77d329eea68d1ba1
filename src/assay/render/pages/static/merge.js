// Makes a part of the page what a fresh copy of it is. What is the same is not touched, so that the
// reader keeps what is theirs: open folds, the focus, marked text, where they are.
const OWN = new Set(["open", "hidden", "aria-pressed", "aria-expanded"]);
const MARKS = ["lit", "cur", "whole"];
const KEPT = "[data-kept]";
const kind = (element) => element.getAttribute("class")?.split(" ")[0];
const isSame = (one, other) => one.nodeName === other.nodeName && (one.nodeType !== Node.ELEMENT_NODE
  || (one.id === other.id && one.dataset.key === other.dataset.key && kind(one) === kind(other)));

const takeAttributes = (shown, fresh) => {
  const marks = MARKS.filter((name) => shown.classList.contains(name));
  for (const { name } of [...shown.attributes])
    if (!OWN.has(name) && !fresh.hasAttribute(name)) shown.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (!OWN.has(name) && shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  if (marks.length) shown.classList.add(...marks);
};

const found = (place, fresh) => {
  if (fresh.nodeType !== Node.ELEMENT_NODE) return place && isSame(place, fresh) ? place : null;
  let other = place;
  while (other && !isSame(other, fresh)) other = other.nextSibling;
  return other;
};

export const merge = (shown, fresh) => {
  if (shown.isEqualNode(fresh)) return;
  if (shown.nodeType !== Node.ELEMENT_NODE) { shown.data = fresh.data; return; }
  takeAttributes(shown, fresh);
  if (shown.matches(KEPT)) return;
  let place = shown.firstChild;
  for (const child of [...fresh.childNodes]) {
    const old = found(place, child);
    if (!old) { shown.insertBefore(document.adoptNode(child), place); continue; }
    while (place !== old) { const gone = place; place = place.nextSibling; gone.remove(); }
    place = old.nextSibling;
    merge(old, child);
  }
  while (place) { const gone = place; place = place.nextSibling; gone.remove(); }
};
