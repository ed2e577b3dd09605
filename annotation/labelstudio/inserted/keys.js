// Keys of Tashika's labelling pages, added by `tashika annotate serve` to the pages of Label Studio.
// A page takes part by the class `tashika` of its outermost tag, and is decided by one key with `decides` beside it.
// Where Label Studio lacks what is used here, a key does what it did without this.
(() => {
  "use strict";
  const FIELDS = "textarea, select, [contenteditable=true], input:not([type=radio]):not([type=checkbox])";
  const MODAL = ".lsf-modal-ls_visible, .dm-modal_visible, .ant-modal-wrap, .ant-modal-confirm";
  const HOLDING = "a, button, summary, [role=button], [role=tab]";
  const NOTE = ".tashika-note", TEXT = "[data-testid=textarea-control]";
  const WAIT_MS = 50, LONGEST_WAIT_MS = 10000;

  const seen = (selector) => [...document.querySelectorAll(selector)].some((tag) => tag.getClientRects().length);
  const busy = (store) => store.isSubmitting || store.isLoading || store.noTask;

  // The annotation that is open, if it can be changed.
  const opened = (store) => {
    const annotation = store.annotationStore && store.annotationStore.selected;
    return annotation && !annotation.isReadOnly() && !annotation.skipped ? annotation : null;
  };

  const chosenBy = (annotation, key) => {
    for (const control of annotation.names.values()) {
      if (control.type !== "choices" || control.choice === "multiple") continue;
      const choice = control.tiedChildren.find((child) => child.hotkey === key);
      if (choice) return choice;
    }
    return null;
  };

  // An answer that was corrected stays open in Label Studio; here the next task follows, as after a new answer.
  const goOn = (store, annotation) => {
    let waited = 0;
    const timer = setInterval(() => {
      waited += WAIT_MS;
      const now = window.Htx;
      if (waited > LONGEST_WAIT_MS || now !== store) return clearInterval(timer);
      if (busy(now) || now.annotationStore.selected === annotation) return undefined;
      clearInterval(timer);
      if (now.canGoNextTask) now.nextTask();
      return undefined;
    }, WAIT_MS);
  };

  const submit = (store, annotation, { follow }) => {
    const saved = annotation.pk !== undefined && annotation.pk !== null;
    const unchanged = saved && !annotation.history.canUndo && !annotation.draftId;
    if (unchanged) {
      if (follow && store.canGoNextTask) store.nextTask();
      return;
    }
    annotation.submissionInProgress();
    if (saved) store.updateAnnotation();
    else store.submitAnnotation();
    if (saved && follow) goOn(store, annotation);
  };

  // What was written and sent stands as text with a pencil beside it; before, there is a field.
  const EDIT = "[data-testid=htx-textbox-edit-button]";

  const write = (parts) => {
    const part = parts.find((each) => each.querySelector(`textarea, ${EDIT}`));
    if (!part) return false;
    const folded = part.querySelector("[aria-expanded=false]");
    if (folded) folded.click();
    setTimeout(() => {
      const field = part.querySelector("textarea");
      const pencil = part.querySelector(EDIT);
      if (field) field.focus();
      else if (pencil) pencil.click();
    }, WAIT_MS);
    return true;
  };

  const notes = (page) => [...page.querySelectorAll(NOTE)];
  const texts = (page) => [...page.querySelectorAll(TEXT)].filter((each) => !each.closest(NOTE));

  const decide = (event, store, annotation) => {
    const choice = chosenBy(annotation, event.key);
    if (!choice) return false;
    if (event.repeat) return true;
    if (!choice.sel) choice.toggleSelected();
    submit(store, annotation, { follow: true });
    return true;
  };

  // In a training the first answer stays: the numbers then take the answer after it, if there is to be one.
  const takeAgain = (annotation, key) => {
    const again = annotation.names.get("training-retry");
    const first = again && chosenBy(annotation, key);
    const siblings = first ? first.parent.tiedChildren : [];
    if (!siblings.some((choice) => choice.sel)) return false;
    const choice = again.tiedChildren[siblings.indexOf(first)];
    if (choice && !choice.sel && seen(".tashika-training-retry")) choice.toggleSelected();
    return true;
  };

  const handle = (event, page, store) => {
    const typing = event.target.closest && event.target.closest(FIELDS);
    const sends = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (!sends && (event.ctrlKey || event.metaKey || event.altKey)) return false;
    if (typing && event.key === "Escape") {
      typing.blur();
      return true;
    }
    if (typing && !sends) return false;
    const digit = /^[0-9]$/.test(event.key);
    const deciding = page.classList.contains("decides");
    // A key that comes while a task is sent or fetched must not answer the one that nobody has seen yet.
    if (busy(store)) return sends || event.key === "Enter" || (digit && deciding);
    if (event.key === "ArrowLeft" && store.canGoPrevTask) return store.prevTask(), true;
    if (event.key === "ArrowRight" && store.canGoNextTask) return store.nextTask(), true;
    const annotation = opened(store);
    if (!annotation) return false;
    if (event.key === "n") return write(notes(page));
    if (event.key === "e") return write(texts(page));
    if (event.key === "Enter" && (sends || !event.target.closest(HOLDING))) {
      if (event.repeat) return true;
      if (typing) typing.blur();
      submit(store, annotation, { follow: true });
      return true;
    }
    return digit && (deciding ? decide(event, store, annotation) : takeAgain(annotation, event.key));
  };

  window.addEventListener("keydown", (event) => {
    const page = document.querySelector(".tashika");
    const store = window.Htx;
    if (!page || !store || event.isComposing || event.keyCode === 229) return;
    try {
      // Behind the guidelines or a message nothing is chosen, and the keys of what is in front are its own.
      if (seen(MODAL) ? /^[0-9]$/.test(event.key) && !event.target.closest(FIELDS) : handle(event, page, store)) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    } catch (error) {
      console.warn("Tashika's keys do not fit this Label Studio", error);
    }
  }, true);
})();
