import { headerOf, makeDelivery, offerKeys } from './gateway.js';
import { byId } from './views.js';

// The key that requests of all tabs carry. It is kept for the session of the browser's tab, and longer only where that is asked for.
// The prefix is GraphiQL's own: its settings have a button that removes what is stored under it.
const keyName = 'graphiql:switchboard-key';
const [keyField, keyShow, keyRemember, keyState] = byId('key', 'key-show', 'key-remember', 'key-state');

/** Reads or writes one store of the browser, which may forbid both: the key is then kept by the field alone. */
export function stored(store, act) {
  try {
    return act(globalThis[store]);
  } catch {
    return null;
  }
}

function keepKey() {
  const [kept, other] = keyRemember.checked ? ['localStorage', 'sessionStorage'] : ['sessionStorage', 'localStorage'];
  stored(other, (storage) => storage.removeItem(keyName));
  stored(kept, (storage) => storage.setItem(keyName, keyField.value));
}

function reportKey(text) {
  if (keyState.textContent !== text) keyState.textContent = text;
}

/** The header for a request; null where there is no key, or one that no header can carry. */
export function keyHeader() {
  const header = headerOf(keyField.value.trim());
  if (header === null) reportKey('This is no key: it holds spaces, or letters that a header cannot carry.');
  return header?.authorization ?? null;
}

/** Reports below the field what an answer says about the key; `isOwn`: the tab has a key of its own, which was sent instead. */
export function reportAnswer(payload, isOwn) {
  const errors = Array.isArray(payload?.errors) ? payload.errors : [];
  if (!errors.some((error) => error?.extensions?.code === 'UNAUTHENTICATED')) {
    if (payload?.data != null) reportKey('');
  } else if (isOwn) reportKey('The API did not take the key among the headers of this tab.');
  else if (keyHeader() !== null) reportKey('The API did not take this key.');
  else if (keyField.value.trim() === '')
    reportKey('Enter a key: what this query asks for is shown to its owner alone.');
}

const remembered = stored('localStorage', (storage) => storage.getItem(keyName));
keyRemember.checked = remembered !== null;
keyField.value = remembered ?? stored('sessionStorage', (storage) => storage.getItem(keyName)) ?? keyField.value;
keyField.addEventListener('input', () => {
  reportKey('');
  keepKey();
});
keyRemember.addEventListener('change', keepKey);
keyShow.addEventListener('click', () => {
  const isShown = keyField.type === 'password';
  keyField.type = isShown ? 'text' : 'password';
  keyShow.setAttribute('aria-pressed', String(isShown));
});
document.getElementById('key-bar').addEventListener('submit', (event) => event.preventDefault());

// Before the sandbox alone.
const deliveryButton = document.getElementById('sandbox-delivery');
if (deliveryButton !== null) {
  void offerKeys(document.getElementById('offers'), keyField);
  deliveryButton.addEventListener('click', async () => {
    document.getElementById('sandbox-state').textContent = await makeDelivery(keyField.value.trim(), {});
  });
}

const nameBy = (text) => (element) => element.setAttribute('aria-label', text);

/** Names and roles for what GraphiQL leaves without. */
const repairs = {
  // A tab that holds buttons is no tab to a screen reader: the list is one of buttons, of which one is pressed.
  '.graphiql-tabs[role], .graphiql-tab[role]': (element) => element.removeAttribute('role'),
  '.graphiql-tab[aria-selected]': (item) => item.removeAttribute('aria-selected'),
  // The titles of icons are names of its minified code, which browsers show where the pointer rests, and screen readers read out.
  'svg > title:not(:empty)'(title) {
    title.parentElement.setAttribute('aria-hidden', 'true');
    title.textContent = '';
  },
  '.graphiql-explorer-actions select:not([aria-label])': nameBy('Kind of the new operation'),
  '.graphiql-explorer-actions button:not([aria-label])': nameBy('Add the operation'),
  // An input of the explorer is for the argument in whose row it stands.
  '.graphiql-explorer-root input[type="text"]:not([aria-label])': (input) =>
    nameBy(input.closest('[data-arg-name]')?.dataset.argName ?? 'Value')(input),
  '.graphiql-tabs': (tabs) => tabsObserver.observe(tabs),
  '.graphiql-tab-button': repairTab,
};

function repairTab(button) {
  const isActive = button.closest('.graphiql-tab').classList.contains('graphiql-tab-active');
  if (button.getAttribute('aria-pressed') !== String(isActive)) {
    button.setAttribute('aria-pressed', String(isActive));
    if (isActive) showTab(button);
  }
  const close = button.parentElement.querySelector('.graphiql-tab-close');
  const name = `Close ${button.textContent.trim()}`;
  if (close !== null && close.getAttribute('aria-label') !== name) nameBy(name)(close);
}

function showTab(button) {
  button?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

/** A pane that opens leaves the tabs less room. */
const tabsObserver = new ResizeObserver(() =>
  showTab(document.querySelector('.graphiql-tab-button[aria-pressed="true"]')),
);

let isDue = false;
const frameObserver = new MutationObserver(() => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    for (const [selector, repair] of Object.entries(repairs)) document.querySelectorAll(selector).forEach(repair);
  });
});
// Dialogs stand beside the root.
frameObserver.observe(document.body, {
  subtree: true,
  childList: true,
  attributes: true,
  attributeFilter: ['class', 'role', 'aria-selected'],
});
