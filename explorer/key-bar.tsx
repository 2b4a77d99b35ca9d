import { useEffect, useState, type ReactElement } from 'react';
import { share } from './shared.ts';

/** What the gateway tells its page: attributes of the element that the page stands in. */
const given = document.getElementById('root')?.dataset ?? {};
/** Whether an embedded sandbox can be moved from here. */
export const hasSandbox = given['sandbox'] !== undefined;

interface Caller {
  /** As it is typed. It is kept nowhere but here. */
  readonly key: string;
  /** Names of the sandbox; empty for its usual account, and for no fault. */
  readonly account: string;
  readonly fault: string;
}

/** Who sends requests, and what the sandbox does for them. */
export const caller = share<Caller>({ key: given['key'] ?? '', account: '', fault: '' });

/** The characters that a header can carry, without spaces. */
const isKey = (key: string): boolean => /^[\x21-\x7e]*$/.test(key);

/** The headers that a request gets from the bar. The sandbox takes accounts and faults beside a key, which stays as it is. */
export function callerHeaders(): Record<string, string> {
  const { key, account, fault } = caller.get();
  const parts = [account, fault].filter((part) => part !== '');
  return {
    ...(key !== '' && isKey(key) && { authorization: `Bearer ${key}` }),
    ...(parts.length > 0 && { 'x-sandbox': parts.join('+') }),
  };
}

interface Offer {
  readonly accounts: readonly { readonly name: string }[];
  readonly faults: readonly { readonly name: string; readonly does: string; readonly code: string | null }[];
}

/** The key of all requests, and before the sandbox the account and the fault that go with it. */
export function KeyBar(): ReactElement {
  const current = caller.use();
  const { key } = current;
  const change = (news: Partial<Caller>): void => caller.set({ ...current, ...news });
  const [isShown, show] = useState(hasSandbox);
  const fault = isKey(key.trim()) ? '' : 'This is no key: it holds spaces, or letters that a header cannot carry.';
  return (
    <form className="ours key-bar" aria-label="Key and sandbox" onSubmit={(event) => event.preventDefault()}>
      <span className="field">
        <label htmlFor="key">Key</label>{' '}
        <input
          id="key"
          type={isShown ? 'text' : 'password'}
          value={key}
          placeholder={hasSandbox ? 'any key' : 'key of your account'}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={fault !== ''}
          onChange={({ target }) => change({ key: target.value.trim() })}
        />
      </span>
      <button type="button" aria-pressed={isShown} onClick={() => show(!isShown)}>
        Show
      </button>
      {fault !== '' && <span className="bad">{fault}</span>}
      {hasSandbox && <SandboxFields />}
    </form>
  );
}

function SandboxFields(): ReactElement {
  const { account, fault } = caller.use();
  const [offer, setOffer] = useState<Offer>({ accounts: [], faults: [] });
  const [news, tell] = useState('');
  useEffect(() => {
    void fetch('/sandbox', { headers: { accept: 'application/json' } })
      .then(async (response) => setOffer((await response.json()) as Offer))
      .catch(() => tell('The sandbox does not say what it offers. Load the page again.'));
  }, []);
  const [usual, ...accounts] = offer.accounts;
  const chosen = offer.faults.find(({ name }) => name === fault);
  const choose = (choice: Partial<Caller>): void => {
    tell('');
    caller.set({ ...caller.get(), ...choice });
  };
  return (
    <>
      <span className="field">
        <label htmlFor="account">Account</label>{' '}
        <select id="account" value={account} onChange={({ target }) => choose({ account: target.value })}>
          <option value="">{usual?.name ?? '…'}</option>
          {accounts.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </span>
      <span className="field">
        <label htmlFor="fault">Fault</label>{' '}
        <select id="fault" value={fault} onChange={({ target }) => choose({ fault: target.value })}>
          <option value="">none</option>
          {offer.faults.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </span>
      <button type="button" onClick={() => void makeDelivery().then(tell)}>
        Make a delivery
      </button>
      {/* Its line is there from the beginning, so that nothing moves when it says something. */}
      <output className="quiet">
        {news ||
          (chosen && `${chosen.name}: ${chosen.does.replaceAll('`', '')}${chosen.code ? ` (${chosen.code})` : ''}`)}
      </output>
    </>
  );
}

/** Makes a delivery for the account; returns a sentence that says what came of it. */
async function makeDelivery(): Promise<string> {
  try {
    const headers = { 'content-type': 'application/json', ...callerHeaders() };
    const response = await fetch('/sandbox/deliveries', { method: 'POST', headers, body: '{}' });
    const { data, errors } = (await response.json()) as Made;
    return data === undefined ? (errors?.[0]?.message ?? 'No delivery was made.') : `Made ${data.id} (${data.status}).`;
  } catch {
    return 'The gateway did not answer. Try again.';
  }
}

interface Made {
  readonly data?: { readonly id: string; readonly status: string };
  readonly errors?: readonly { readonly message: string }[];
}
