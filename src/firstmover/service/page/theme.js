// Before anything is painted: the colours that were chosen here last.
(function () {
  try {
    const chosen = localStorage.getItem("firstmover-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // without storage the system's choice holds
  }
})();
