import { makeDelivery, offerKeys, post, readSandbox } from './gateway.js';
import { build, byId } from './views.js';

const [keyField, offers, present, accountRows] = byId('key', 'offers', 'present', 'accounts');
const [faultRows, endpointNames] = byId('faults', 'endpoints');
const [deliveryForm, deliveryState, clockForm, clockState] = byId('delivery', 'delivery-state', 'clock', 'clock-state');

const rowOf = (...cells) => build('tr', ...cells.map((text) => build('td', text)));

async function show() {
  const sandbox = await readSandbox();
  if (sandbox === null) return;
  present.textContent = sandbox.now;
  accountRows.replaceChildren(
    ...sandbox.accounts.map(({ name, connections, missions, deliveries, numbers }) =>
      rowOf(name, ...[connections, missions, deliveries, numbers].map((count) => count.toLocaleString('en'))),
    ),
  );
  faultRows.replaceChildren(
    ...sandbox.faults.map(({ name, does, argument, default: usual, code }) =>
      rowOf(name, does.replaceAll('`', ''), argument === null ? '' : `=${usual} (${argument})`, code ?? ''),
    ),
  );
  endpointNames.textContent = sandbox.only.join(', ');
}

deliveryForm.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { type, status, attempts } = Object.fromEntries(new FormData(deliveryForm));
  deliveryState.textContent = await makeDelivery(keyField.value.trim(), { type, status, attempts: Number(attempts) });
});

clockForm.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { now } = Object.fromEntries(new FormData(clockForm));
  const response = await post('/sandbox/clock', { now: now === '' ? null : now });
  const answer = await response.json();
  clockState.textContent = answer.errors?.[0].message ?? `The present is ${answer.now}.`;
  await show();
});

void show();
void offerKeys(offers, keyField);
