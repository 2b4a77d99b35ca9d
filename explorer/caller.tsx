import { useEffect, useState, type ReactElement } from 'react';
import { create } from 'zustand';

/** What the gateway tells its page: attributes of the element that the page stands in. */
const given = document.getElementById('root')?.dataset ?? {};
/** Whether the key is that of a sandbox, and no secret. */
export const isSandbox = 'key' in given;
/** Whether an embedded sandbox can be moved from here. */
export const hasSandbox = 'sandbox' in given;

/**
 * Who sends requests: the key as it is typed, which is kept nowhere but here, and names of the sandbox, empty for its usual account and for
 * no fault.
 */
export const useCaller = create(() => ({ key: given['key'] ?? '', account: '', fault: '' }));

/** The headers that a request gets from the bar. The sandbox takes accounts and faults beside a key, which stays as it is. */
export function callerHeaders(): Record<string, string> {
  const { key, account, fault } = useCaller.getState();
  const parts = [account, fault].filter((part) => part !== '');
  const sandbox = parts.length > 0 && { 'x-sandbox': parts.join('+') };
  return { ...(key !== '' && { authorization: `Bearer ${key}` }), ...sandbox };
}

interface Named {
  readonly name: string;
}

interface Offer {
  readonly accounts: readonly Named[];
  readonly faults: readonly (Named & { readonly does: string; readonly code: string | null })[];
}

/** The key of all requests, and before the sandbox the account and the fault that go with it. */
export function KeyBar(): ReactElement {
  return (
    <form className="ours key-bar row small" aria-label="Key and sandbox" onSubmit={(event) => event.preventDefault()}>
      <label>
        Key{' '}
        <input
          type={isSandbox ? 'text' : 'password'}
          value={useCaller().key}
          placeholder={isSandbox ? 'any key' : 'key of your account'}
          autoComplete="off"
          spellCheck={false}
          // What no header can carry, such as a space that was copied with it.
          onChange={({ target }) => useCaller.setState({ key: target.value.replace(/[^!-~]/g, '') })}
        />
      </label>
      {hasSandbox && <SandboxFields />}
    </form>
  );
}

function SandboxFields(): ReactElement {
  const { account, fault } = useCaller();
  const [{ accounts, faults }, setOffer] = useState<Offer>({ accounts: [], faults: [] });
  const [news, tell] = useState('');
  const failed = ({ message }: Error): void => tell(message);
  useEffect(() => {
    send('/sandbox').then((offer) => setOffer(offer as Offer), failed);
  }, []);
  useEffect(() => tell(''), [account, fault]);
  async function makeDelivery(): Promise<void> {
    const { data } = (await send('/sandbox/deliveries', { method: 'POST', body: '{}' })) as {
      readonly data: Record<'id' | 'status', string>;
    };
    tell(`Made ${data.id} (${data.status}).`);
  }
  const chosen = faults.find(({ name }) => name === fault);
  return (
    <>
      <Choice name="account" usual={accounts[0]?.name ?? '…'} of={accounts.slice(1)} />
      <Choice name="fault" usual="none" of={faults} />
      <button type="button" onClick={() => void makeDelivery().catch(failed)}>
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

/** `usual`: what is chosen by no name. */
function Choice({ name, usual, of }: { name: 'account' | 'fault'; usual: string; of: readonly Named[] }): ReactElement {
  return (
    <label>
      {name}{' '}
      <select value={useCaller()[name]} onChange={({ target }) => useCaller.setState({ [name]: target.value })}>
        <option value="">{usual}</option>
        {of.map((each) => (
          <option key={each.name}>{each.name}</option>
        ))}
      </select>
    </label>
  );
}

/** Asks the sandbox as the caller. Rejects with a sentence to show if it is refused. */
async function send(path: string, init: RequestInit = {}): Promise<unknown> {
  const type = 'application/json';
  const headers = { accept: type, 'content-type': type, ...callerHeaders() };
  const response = await fetch(path, { ...init, headers });
  if (response.ok) return response.json();
  const { errors } = (await response.json().catch(() => ({}))) as { readonly errors?: readonly Error[] };
  throw new Error(errors?.[0]?.message ?? `The gateway refused it with ${response.status}.`);
}
