// A changed choice is shown at once; empty fields stay out of the address.
const form = document.querySelector("form[data-auto]");
const send = () => {
  const query = new URLSearchParams([...new FormData(form)].filter(([name, value]) => value && !(name === "sort" && value === "newest")));
  location.href = query.size ? `${form.action}?${query}` : form.action;
};
form?.addEventListener("submit", (event) => { event.preventDefault(); send(); });
form?.addEventListener("change", (event) => { if (event.target.matches("select,input[type=checkbox]")) send(); });
