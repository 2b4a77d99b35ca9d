/** Names and roles for what GraphiQL leaves without. */
const repairs = [
  // A tab that holds buttons is no tab to a screen reader: the list is one of buttons, of which one is pressed.
  ['.graphiql-tabs[role]', (list) => list.removeAttribute('role')],
  ['.graphiql-tab[role]', (item) => item.removeAttribute('role')],
  ['.graphiql-tab[aria-selected]', (item) => item.removeAttribute('aria-selected')],
];

function repair() {
  for (const [selector, mend] of repairs) for (const element of document.querySelectorAll(selector)) mend(element);
  for (const button of document.querySelectorAll('.graphiql-tab-button')) {
    const isActive = button.closest('.graphiql-tab').classList.contains('graphiql-tab-active');
    if (button.getAttribute('aria-pressed') !== String(isActive)) {
      button.setAttribute('aria-pressed', String(isActive));
      if (isActive) button.scrollIntoView({ block: 'nearest', inline: 'center' });
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
frameObserver.observe(document.getElementById('root'), {
  subtree: true,
  childList: true,
  attributes: true,
  attributeFilter: ['class', 'role', 'aria-selected'],
});
