import { useState } from 'react';
import mark from '../../../src/explorer/mark.svg';
import { Account } from './session/account.tsx';
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
          <h1>
            <img src={mark} alt="" width={24} height={24} /> Switchboard
          </h1>
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
