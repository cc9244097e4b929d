// Keyboard and focus. Every page works without this file.
"use strict";

const typing = (element) => element.isContentEditable
  || element.matches("input:not([type=radio], [type=checkbox], [type=submit], [type=button]), textarea, select");
const seen = (element) => element.checkVisibility();
const rows = () => [...document.querySelectorAll("[data-rows] [data-row]")];

/** What a key presses here. Digits are reasons while reasons are asked for, decisions otherwise. */
function withKey(key) {
  const all = [...document.querySelectorAll(`[data-key~="${CSS.escape(key)}"]:not(:disabled)`)].filter(seen);
  return all.find((one) => one.closest(".reasons")) || all[0];
}

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

/** Tick the row that has the focus, or all rows of the page; tell whether there was one. */
function select(everyRow) {
  const boxes = everyRow
    ? [...document.querySelectorAll("[data-rows] [data-select]")]
    : [document.activeElement.closest("li")?.querySelector("[data-select]")].filter(Boolean);
  const ticked = boxes.length > 0 && !boxes.every((box) => box.checked);
  for (const box of boxes.filter((one) => one.checked !== ticked)) box.click();
  return boxes.length > 0;
}

function choose(radio) {
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  const next = document.getElementById(radio.dataset.then || "") || radio;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function press(target) {
  if (target.matches(":disabled, fieldset:disabled *")) return;
  if (target.matches("input[type=radio]")) choose(target);
  else if (typing(target)) target.focus();
  else target.click();
  if (target.matches("summary") && target.parentElement.open) {
    target.parentElement.querySelector("button, input:not([type=hidden])")?.focus();
  }
}

const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
const SELECTS = { x: false, X: true };

function onKey(event) {
  const { key, target } = event;
  // 229: an input method is composing.
  if (event.isComposing || event.keyCode === 229) return;
  if (event.altKey || document.querySelector("dialog[open]")) return;
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
  if (key === "Enter" && target.closest("a, button, input, summary")) return;
  if (key === "?") document.getElementById("help")?.showModal();
  else if (key in STEPS && moveInRows(STEPS[key])) event.preventDefault();
  else if (key in SELECTS && select(SELECTS[key])) event.preventDefault();
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

/** Say something to whoever listens: a region that is new on the page is heard only once it changes. */
const announce = (text) => setTimeout(() => {
  document.getElementById("announce").textContent = text;
}, 50);

let row = -1;
document.addEventListener("htmx:beforeRequest", (event) => {
  // Nobody looks at a page in the background: it neither asks nor keeps others from the item.
  if (event.target.id === "presence" && document.hidden) event.preventDefault();
});
document.addEventListener("htmx:beforeSwap", ({ target, detail }) => {
  // A refusal is a page, too: it says why, with what was typed.
  if ([400, 403, 409].includes(detail.xhr.status)) Object.assign(detail, { shouldSwap: true, isError: false });
  // The same news twice would be read out twice.
  if (target.id === "presence" && target.dataset.news === detail.serverResponse) detail.shouldSwap = false;
  if (target.id === "presence") target.dataset.news = detail.serverResponse;
  row = rows().indexOf(document.activeElement);
});
document.addEventListener("htmx:afterSwap", ({ target, detail }) => {
  if (target.id === "presence") {
    // News above must not push what is being typed out of sight.
    document.activeElement.closest(".decide *")?.scrollIntoView({ block: "nearest" });
    return;
  }
  const news = target.querySelector("[data-announce]");
  if (detail.boosted) {
    const heading = document.querySelector("[data-focus]") || document.querySelector("main h1");
    const toast = document.querySelector(".messages .message p");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: heading.matches("h1") });
    announce((toast || heading).textContent);
    return;
  }
  announce(news ? news.textContent : "");
  // The link that asked for the next page is gone with the old one; a row's focus goes to its place.
  if (detail.requestConfig?.elt.rel) rows()[0]?.focus();
  else if (row >= 0 && document.activeElement === document.body) rows()[Math.min(row, rows().length - 1)]?.focus();
});
document.querySelector("[data-focus]")?.focus();
