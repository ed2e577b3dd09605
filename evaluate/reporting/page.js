// Copies tables as text, and marks those that scroll. It loads nothing and sends nothing.
(() => {
  const data = document.getElementById("tables");
  let texts = null; // read when the first table is copied: a large page opens as fast as before

  // Where the clipboard is closed to a page (plain http, or by the browser's settings), the older way.
  const copyBySelection = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    area.setAttribute("readonly", "");
    area.className = "unseen";
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  };

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copyBySelection(text);
    }
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".copy button");
    if (!button) return;
    texts ??= JSON.parse(data.textContent);
    const { table, format } = button.dataset;
    const copied = await copy(texts[Number(table)][format]);
    button.focus();
    const says = button.parentElement.querySelector("output");
    says.textContent = copied ? `copied as ${format}` : "not copied: the browser refused";
  });

  // A table that fits is no stop for the keyboard; one that does not is, and says so.
  const mark = (box) => {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    box.classList.toggle("wide", scrolls);
    box.tabIndex = scrolls ? 0 : -1;
  };
  const sizes = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
  document.querySelectorAll(".scroll").forEach((box) => sizes.observe(box));
})();
