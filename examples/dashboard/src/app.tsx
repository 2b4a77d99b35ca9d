import { useMemo, useState } from 'react';
import { Provider } from 'urql';
import { Charges } from './charges/charges.tsx';
import { Connections } from './connections/connections.tsx';
import { Deliveries } from './deliveries/deliveries.tsx';
import { createClient } from './gateway/client.ts';
import { KeyContext } from './gateway/key.ts';
import { Missions } from './missions/missions.tsx';
import { Overview } from './overview/overview.tsx';
import { Mishap } from './parts/mishap.tsx';
import { KeyForm } from './session/key-form.tsx';

const sections = [
  ['charges', 'Charges'],
  ['connections', 'Connections'],
  ['deliveries', 'Deliveries'],
  ['missions', 'Missions'],
] as const;

interface Session {
  readonly number: number;
  readonly key: string | null;
}

/** The whole page: the key, and once there is one, all that it gives sight of. */
export function App() {
  const [{ number, key }, setSession] = useState<Session>({ number: 0, key: null });
  const begin = (next: string | null): void => setSession({ number: number + 1, key: next });
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="top">
        <div className="top-row">
          <h1>Switchboard</h1>
          {key !== null && (
            <nav aria-label="Sections">
              {sections.map(([id, title]) => (
                <a key={id} href={`#${id}`}>
                  {title}
                </a>
              ))}
            </nav>
          )}
          <KeyForm hasKey={key !== null} onKey={begin} />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {key === null ? <Welcome /> : <Account key={number} apiKey={key} />}
      </main>
    </>
  );
}

/** Everything of one key; a new key begins anew, so that no row of another is ever shown. */
function Account({ apiKey }: { readonly apiKey: string }) {
  const client = useMemo(() => createClient(apiKey), [apiKey]);
  return (
    <Provider value={client}>
      <KeyContext value={apiKey}>
        <Mishap of="overview">
          <Overview />
        </Mishap>
        <Mishap of="charges">
          <Charges />
        </Mishap>
        <Mishap of="connections">
          <Connections />
        </Mishap>
        <Mishap of="deliveries">
          <Deliveries />
        </Mishap>
        <Mishap of="missions">
          <Missions />
        </Mishap>
      </KeyContext>
    </Provider>
  );
}

function Welcome() {
  return (
    <section aria-labelledby="welcome-title">
      <h2 id="welcome-title">Enter an API key to begin</h2>
      <p>
        The key goes to the gateway with each request and is kept nowhere: not in the browser’s storage, not in the
        address. A reload forgets it.
      </p>
      <p>
        In front of the sandbox any key will do, such as <code>sandbox-key</code>. The key{' '}
        <code>unknown-account-key</code> has no bill: its charges fail while all else stands.
      </p>
    </section>
  );
}
