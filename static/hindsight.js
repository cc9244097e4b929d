// Keyboard and focus. Every page works without this file.
"use strict";

const typing = (element) => element.matches("input:not([type=radio]), textarea, select");
const seen = (element) => element.checkVisibility();
const withKey = (key) => [...document.querySelectorAll(`[data-key~="${CSS.escape(key)}"]:not(:disabled)`)].find(seen);
const rows = () => [...document.querySelectorAll("[data-rows] [data-row]")];

/** Focus the next (+1) or previous (-1) row of a list; tell whether there is a list. */
function moveInRows(step) {
  const all = rows();
  if (all.length === 0) return false;
  const at = all.findIndex((row) => row === document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1);
  all[next].focus();
  all[next].closest("li").scrollIntoView({ block: "nearest" });
  return true;
}

function choose(radio) {
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  const next = document.getElementById(radio.dataset.then || "");
  (next || radio).focus();
}

function press(target) {
  if (target.matches(":disabled, fieldset:disabled *")) return;
  if (target.matches("input[type=radio]")) choose(target);
  else if (typing(target)) target.focus();
  else target.click();
}

const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

function onKey(event) {
  const { key, target } = event;
  if (document.querySelector("dialog[open]") || event.altKey || event.isComposing) return;
  if (event.ctrlKey || event.metaKey) {
    const form = key === "Enter" && target.closest("form[data-submit]");
    if (form) form.requestSubmit();
    return;
  }
  if (typing(target)) {
    if (key === "Escape") target.blur();
    return;
  }
  // The arrows belong to a group of radio buttons, and Enter to whatever has the focus.
  if (key.startsWith("Arrow") && target.matches("input")) return;
  if (key === "Enter" && target !== document.body && target.id !== "main") return;
  if (key === "?") document.getElementById("help")?.showModal();
  else if (key in STEPS && moveInRows(STEPS[key])) event.preventDefault();
  else {
    const found = withKey(key);
    if (!found) return;
    press(found);
  }
  event.preventDefault();
}

document.addEventListener("keydown", onKey);
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keyup", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
document.addEventListener("htmx:afterSwap", ({ target, detail }) => {
  const news = target.querySelector("[data-announce]");
  document.getElementById("announce").textContent = news ? news.textContent : "";
  // The link that asked for the next page is gone with the old one.
  if (detail.requestConfig?.elt.rel) rows()[0]?.focus();
});
document.querySelector("[data-focus]")?.focus();
