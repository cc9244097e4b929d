// Times in the viewer's zone: the browser says it once; what a person chooses later stays.
"use strict";

{
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  const known = document.cookie.split("; ").some((one) => one.startsWith("timezone="));
  if (here && !known) {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `timezone=${here}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  }
  for (const option of document.querySelectorAll("option[data-here]")) {
    option.value = here;
    if (here) option.append(` (${here})`);
  }
}
