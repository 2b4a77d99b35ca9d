import { useEffect, useState, type ReactElement } from 'react';
import { caller, hasSandbox, isSandbox, send } from './caller.ts';

interface Named {
  readonly name: string;
}

interface Offer {
  readonly accounts: readonly Named[];
  readonly faults: readonly (Named & { readonly does: string; readonly code: string | null })[];
}

/** The key of all requests, and before the sandbox the account and the fault that go with it. */
export function KeyBar(): ReactElement {
  const who = caller.use();
  return (
    <form className="ours key-bar row small" aria-label="Key and sandbox" onSubmit={(event) => event.preventDefault()}>
      <label>
        Key{' '}
        <input
          type={isSandbox ? 'text' : 'password'}
          value={who.key}
          placeholder={isSandbox ? 'any key' : 'key of your account'}
          autoComplete="off"
          spellCheck={false}
          // What no header can carry, such as a space that was copied with it.
          onChange={({ target }) => caller.set({ ...who, key: target.value.replace(/[^!-~]/g, '') })}
        />
      </label>
      {hasSandbox && <SandboxFields />}
    </form>
  );
}

function SandboxFields(): ReactElement {
  const { account, fault } = caller.use();
  const [{ accounts, faults }, setOffer] = useState<Offer>({ accounts: [], faults: [] });
  const [news, tell] = useState('');
  const failed = ({ message }: Error): void => tell(message);
  useEffect(() => {
    send('/sandbox').then(async (response) => setOffer((await response.json()) as Offer), failed);
  }, []);
  useEffect(() => tell(''), [account, fault]);
  async function makeDelivery(): Promise<void> {
    const response = await send('/sandbox/deliveries', '{}');
    const { data } = (await response.json()) as { readonly data: { readonly id: string; readonly status: string } };
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

interface ChoiceOptions {
  readonly name: 'account' | 'fault';
  /** What is chosen by no name. */
  readonly usual: string;
  readonly of: readonly Named[];
}

function Choice({ name, usual, of }: ChoiceOptions): ReactElement {
  const who = caller.use();
  return (
    <label>
      {name}{' '}
      <select value={who[name]} onChange={({ target }) => caller.set({ ...who, [name]: target.value })}>
        <option value="">{usual}</option>
        {of.map((each) => (
          <option key={each.name}>{each.name}</option>
        ))}
      </select>
    </label>
  );
}
