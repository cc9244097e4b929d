// Sliders beside the number fields of the playground. The page works without this file.
"use strict";

for (const dial of document.querySelectorAll("[data-dial]")) {
  const field = dial.querySelector("input[type=number], select");
  const slider = dial.querySelector("[data-slider]");
  const reset = dial.querySelector(".reset");
  const { base } = dial.dataset;
  // "" is what the server takes for the base, and 0.40 is 0.4.
  const turned = () => field.value !== "" && field.value !== base && Number(field.value) !== Number(base);
  const show = () => dial.classList.toggle("turned", turned());
  field.addEventListener("input", () => {
    if (slider) slider.value = field.value || base;
    show();
  });
  slider?.addEventListener("input", () => {
    field.value = slider.value;
    show();
  });
  reset.addEventListener("click", () => {
    field.value = base;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });
  for (const part of [slider, reset]) part?.removeAttribute("hidden");
}

// On a narrow screen the answer stands below the numbers.
if (matchMedia("(max-width: 64rem)").matches) {
  for (const group of document.querySelectorAll(".dials .group")) group.open = false;
}
