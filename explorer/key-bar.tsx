import { useEffect, useState, type ReactElement } from 'react';
import { caller, callerHeaders, changeCaller, hasSandbox, isKey } from './caller.ts';

/** The key of all requests, and before the sandbox the account and the fault that go with it. */
export function KeyBar(): ReactElement {
  const { key } = caller.use();
  const [isShown, show] = useState(hasSandbox);
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
          aria-invalid={!isKey(key)}
          onChange={({ target }) => changeCaller({ key: target.value.trim() })}
        />
      </span>
      <button type="button" aria-pressed={isShown} onClick={() => show(!isShown)}>
        Show
      </button>
      {!isKey(key) && (
        <span className="bad">This is no key: it holds spaces, or letters that a header cannot carry.</span>
      )}
      {hasSandbox && <SandboxFields />}
    </form>
  );
}

interface Offer {
  readonly accounts: readonly { readonly name: string }[];
  readonly faults: readonly { readonly name: string; readonly does: string; readonly code: string | null }[];
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
  useEffect(() => tell(''), [account, fault]);
  const [usual, ...accounts] = offer.accounts;
  const chosen = offer.faults.find(({ name }) => name === fault);
  return (
    <>
      <Choice name="Account" value={account} usual={usual?.name ?? '…'} of={accounts} />
      <Choice name="Fault" value={fault} usual="none" of={offer.faults} />
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

interface ChoiceOptions {
  readonly name: 'Account' | 'Fault';
  readonly value: string;
  /** What is chosen by no name. */
  readonly usual: string;
  readonly of: readonly { readonly name: string }[];
}

function Choice({ name, value, usual, of }: ChoiceOptions): ReactElement {
  const id = name.toLowerCase();
  return (
    <span className="field">
      <label htmlFor={id}>{name}</label>{' '}
      <select id={id} value={value} onChange={({ target }) => changeCaller({ [id]: target.value })}>
        <option value="">{usual}</option>
        {of.map((each) => (
          <option key={each.name}>{each.name}</option>
        ))}
      </select>
    </span>
  );
}

interface Made {
  readonly data?: { readonly id: string; readonly status: string };
  readonly errors?: readonly { readonly message: string }[];
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
