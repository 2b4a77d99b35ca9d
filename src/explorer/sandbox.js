import { makeDelivery, offerKeys, readSandbox } from './sandbox-controls.js';

const [
  keyField,
  offers,
  present,
  accountRows,
  faultRows,
  endpointNames,
  deliveryForm,
  deliveryState,
  clockForm,
  clockState,
] = [
  'key',
  'offers',
  'present',
  'accounts',
  'faults',
  'endpoints',
  'delivery',
  'delivery-state',
  'clock',
  'clock-state',
].map((id) => document.getElementById(id));

function rowOf(...cells) {
  const row = document.createElement('tr');
  for (const text of cells) row.insertCell().textContent = text;
  return row;
}

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
  const response = await fetch('/sandbox/clock', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ now: now === '' ? null : now }),
  });
  const answer = await response.json();
  clockState.textContent = answer.errors?.[0].message ?? `The present is ${answer.now}.`;
  await show();
});

void show();
void offerKeys(offers, keyField);
