import { useEffect, useState, type ReactElement } from 'react';
import { caller, hasSandbox, send } from './caller.ts';

interface Offer {
  readonly accounts: readonly { readonly name: string }[];
  readonly faults: readonly { readonly name: string; readonly does: string; readonly code: string | null }[];
}

/** The key of all requests, and before the sandbox the account and the fault that go with it. */
export function KeyBar(): ReactElement {
  const who = caller.use();
  return (
    <form className="ours key-bar row" aria-label="Key and sandbox" onSubmit={(event) => event.preventDefault()}>
      <label>
        Key{' '}
        <input
          id="key"
          type={hasSandbox ? 'text' : 'password'}
          value={who.key}
          placeholder={hasSandbox ? 'any key' : 'key of your account'}
          autoComplete="off"
          spellCheck={false}
          pattern="[!-~]*"
          title="A key has no spaces, and only letters that a header can carry"
          onChange={({ target }) => caller.set({ ...who, key: target.value.trim() })}
        />
      </label>
      {hasSandbox && <SandboxFields />}
    </form>
  );
}

function SandboxFields(): ReactElement {
  const { account, fault } = caller.use();
  const [offer, setOffer] = useState<Offer>({ accounts: [], faults: [] });
  const [news, tell] = useState('');
  const failed = ({ message }: Error): void => tell(message);
  useEffect(() => {
    send('/sandbox', 'application/json')
      .then(async (response) => setOffer((await response.json()) as Offer))
      .catch(failed);
  }, []);
  useEffect(() => tell(''), [account, fault]);
  async function makeDelivery(): Promise<void> {
    const response = await send('/sandbox/deliveries', 'application/json', '{}');
    const { data } = (await response.json()) as { readonly data: { readonly id: string; readonly status: string } };
    tell(`Made ${data.id} (${data.status}).`);
  }
  const [usual, ...accounts] = offer.accounts;
  const chosen = offer.faults.find(({ name }) => name === fault);
  return (
    <>
      <Choice name="account" usual={usual?.name ?? '…'} of={accounts} />
      <Choice name="fault" usual="none" of={offer.faults} />
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
  readonly of: readonly { readonly name: string }[];
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
