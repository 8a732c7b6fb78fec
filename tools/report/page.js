
"use strict";
// Without this script the page shows everything.
const rows = [...document.querySelectorAll("#claims tbody tr")];
const filter = document.getElementById("filter");
const shown = document.getElementById("shown");

function apply() {
  const words = filter.elements.words.value.toLowerCase();
  let count = 0;
  for (const row of rows) {
    const { verdict, format } = row.dataset;
    const fits = ["", verdict].includes(filter.elements.verdict.value) &&
      ["", format].includes(filter.elements.format.value) &&
      row.textContent.toLowerCase().includes(words);
    row.hidden = !fits;
    count += fits ? 1 : 0;
  }
  shown.textContent = `${count} of ${rows.length} claims shown`;
}

if (filter) {
  filter.hidden = false;
  filter.addEventListener("input", apply);
  filter.addEventListener("submit", (event) => event.preventDefault());
  apply();
}

for (const command of document.querySelectorAll(".command")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const code = command.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
  });
  command.append(button);
}

document.documentElement.dataset.ready = "yes";
