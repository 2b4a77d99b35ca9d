/** Names and roles for what GraphiQL leaves without. */
const repairs = [
  // A tab that holds buttons is no tab to a screen reader: the list is one of buttons, of which one is pressed.
  ['.graphiql-tabs[role]', (list) => list.removeAttribute('role')],
  ['.graphiql-tab[role]', (item) => item.removeAttribute('role')],
  ['.graphiql-tab[aria-selected]', (item) => item.removeAttribute('aria-selected')],
  // The titles of icons are names of its minified code, which browsers show where the pointer rests, and screen readers read out.
  ['svg > title:not(:empty)', hideIcon],
  ['.graphiql-explorer-actions select:not([aria-label])', nameBy('Kind of the new operation')],
  ['.graphiql-explorer-root input[type="text"]:not([aria-label])', nameInput],
  ['.graphiql-explorer-actions button:not([aria-label])', nameBy('Add the operation')],
];

function hideIcon(title) {
  title.parentElement.setAttribute('aria-hidden', 'true');
  title.textContent = '';
}

/** An input of the explorer is for the argument in whose row it stands. */
function nameInput(input) {
  input.setAttribute('aria-label', input.closest('[data-arg-name]')?.dataset.argName ?? 'Value');
}

function nameBy(text) {
  return (element) => element.setAttribute('aria-label', text);
}

function showTab(button) {
  button?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

/** A pane that opens leaves the tabs less room. */
const tabsObserver = new ResizeObserver(() =>
  showTab(document.querySelector('.graphiql-tab-button[aria-pressed="true"]')),
);

function repair() {
  for (const tabs of document.querySelectorAll('.graphiql-tabs')) tabsObserver.observe(tabs);
  for (const [selector, mend] of repairs) for (const element of document.querySelectorAll(selector)) mend(element);
  for (const button of document.querySelectorAll('.graphiql-tab-button')) {
    const isActive = button.closest('.graphiql-tab').classList.contains('graphiql-tab-active');
    if (button.getAttribute('aria-pressed') !== String(isActive)) {
      button.setAttribute('aria-pressed', String(isActive));
      if (isActive) showTab(button);
    }
    const close = button.parentElement.querySelector('.graphiql-tab-close');
    const name = `Close ${button.textContent.trim()}`;
    if (close !== null && close.getAttribute('aria-label') !== name) close.setAttribute('aria-label', name);
  }
}

let isDue = false;
const frameObserver = new MutationObserver(() => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    repair();
  });
});
// Dialogs stand beside the root.
frameObserver.observe(document.body, {
  subtree: true,
  childList: true,
  attributes: true,
  attributeFilter: ['class', 'role', 'aria-selected'],
});
