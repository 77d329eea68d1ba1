// A changed choice is shown at once; empty fields stay out of the address.
const send = (form) => {
  const query = new URLSearchParams([...new FormData(form)].filter(([name, value]) => value && !(name === "sort" && value === "newest")));
  location.href = query.size ? `${form.action}?${query}` : form.action;
};
// The form may be brought anew with its page, so the page listens for it.
addEventListener("submit", (event) => { if (event.target.matches("form[data-auto]")) { event.preventDefault(); send(event.target); } });
addEventListener("change", (event) => { if (event.target.matches("form[data-auto] :is(select,input[type=checkbox])")) send(event.target.form); });
