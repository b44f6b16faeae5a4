(() => {
  "use strict";
  // On a narrow screen what is marked may lie outside of the part of the line that shows.
  const reveal = (code) => {
    const mark = code.querySelector("mark");
    if (!mark) return;
    const box = code.getBoundingClientRect();
    const place = mark.getBoundingClientRect();
    if (place.right > box.right) code.scrollLeft += place.left - box.left - box.width / 2;
  };
  const revealAll = () => document.querySelectorAll(".code").forEach(reveal);
  revealAll();
  addEventListener("resize", revealAll);
  document.addEventListener("toggle", (event) => event.target.querySelectorAll(".code").forEach(reveal), true);
  // The clipboard API exists only in secure contexts; a page from http:// on another machine is none.
  const copy = async (text) => {
    if (navigator.clipboard && window.isSecureContext) {
      try {
        await navigator.clipboard.writeText(text);
        return true;
      } catch {
        // Not permitted: the old way may still be.
      }
    }
    const area = document.createElement("textarea");
    area.value = text;
    area.readOnly = true;
    area.className = "away";
    document.body.append(area);
    area.select();
    let done = false;
    try {
      done = document.execCommand("copy");
    } catch {
      // Then it is for the person to do.
    }
    area.remove();
    return done;
  };
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const label = button.textContent;
    const source = document.getElementById(button.dataset.copy);
    let timer = 0;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copy(source.textContent);
      button.focus({ preventScroll: true });
      if (!done) {
        source.hidden = false;
        getSelection().selectAllChildren(source);
      }
      button.textContent = done ? "Copied" : "Selected: copy it";
      clearTimeout(timer);
      timer = setTimeout(() => { button.textContent = label; }, 2000);
    });
  }
})();
