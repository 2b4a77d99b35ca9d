/** What the embedded sandbox offers; null where the gateway has none. */
export async function readSandbox() {
  try {
    const response = await fetch('/sandbox', { headers: { accept: 'application/json' } });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** Makes a delivery for the account of a key; returns a sentence that says what came of it. */
export async function makeDelivery(key, order) {
  try {
    const response = await fetch('/sandbox/deliveries', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== '' && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify(order),
    });
    const { data, errors } = await response.json();
    return data === undefined ? errors[0].message : `Made the delivery ${data.id} (${data.status}).`;
  } catch {
    return 'The gateway did not answer. Try again.';
  }
}

function selectOf(label, options) {
  const select = document.createElement('select');
  select.setAttribute('aria-label', label);
  for (const [value, text] of options) select.append(new Option(text, value));
  return select;
}

/**
 * Offers accounts and faults beside a field for the key, which they write. Whatever is typed there chooses them. `whenWritten` runs
 * behind each choice.
 */
export async function offerKeys(place, field, whenWritten = () => {}) {
  const sandbox = await readSandbox();
  if (sandbox === null) return;
  const accounts = sandbox.accounts.map(({ name }) => name);
  const account = selectOf(
    'Account of the sandbox',
    accounts.map((name) => [name, `${name} account`]),
  );
  const fault = selectOf('Fault of the sandbox', [
    ['', 'no fault'],
    ...sandbox.faults.map(({ name, does, code }) => [name, `${name}: ${code ?? does.replaceAll('`', '')}`]),
  ]);
  const choose = () => {
    const parts = field.value.split('+').map((part) => part.replace(/=.*/, ''));
    account.value = parts.find((part) => accounts.includes(part)) ?? accounts[0];
    fault.value = parts.find((part) => sandbox.faults.some(({ name }) => name === part)) ?? '';
  };
  const write = () => {
    const parts = [account.value === accounts[0] ? '' : account.value, fault.value].filter((part) => part !== '');
    field.value = parts.join('+') || 'sandbox-key';
    field.dispatchEvent(new Event('input'));
    whenWritten();
  };
  for (const select of [account, fault]) select.addEventListener('change', write);
  field.addEventListener('input', choose);
  choose();
  place.append(account, fault);
}
