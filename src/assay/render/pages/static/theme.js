// Before the first paint: the theme the reader chose, if any.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch { /* no storage: the system's theme stays */ }
