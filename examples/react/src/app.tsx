import { ApolloProvider } from '@apollo/client/react';
import { useMemo, useState } from 'react';
import { useAddress } from './address.ts';
import { Charges } from './charges.tsx';
import { createClient, url } from './client.ts';
import { Connection } from './connection.tsx';
import { Connections } from './connections.tsx';

export function App() {
  const [key, setKey] = useState(() => sessionStorage.getItem('key') ?? '');
  const client = useMemo(() => createClient(url, key), [key]);
  const [page = 'charges', name] = useAddress();
  const enter = (form: FormData): void => {
    const entered = String(form.get('key')).trim();
    sessionStorage.setItem('key', entered);
    setKey(entered);
  };
  const link = (to: string, text: string) => (
    <a href={`#/${to}`} aria-current={page === to ? 'page' : undefined}>
      {text}
    </a>
  );
  return (
    <>
      <header>
        <nav aria-label="Pages">
          {link('charges', 'Charges')}
          {link('connections', 'Connections')}
        </nav>
        <form action={enter}>
          <label>
            API key <input name="key" type="password" defaultValue={key} autoComplete="off" required />
          </label>
          <button>Use key</button>
        </form>
      </header>
      <main>
        {key === '' ? (
          <p>Enter your API key. A sandbox takes any, such as “sandbox-key”.</p>
        ) : (
          <ApolloProvider client={client} key={key}>
            {page === 'charges' && <Charges month={name} apiKey={key} />}
            {page === 'connections' && name === undefined && <Connections />}
            {page === 'connections' && name !== undefined && <Connection key={name} id={name} apiKey={key} />}
          </ApolloProvider>
        )}
      </main>
    </>
  );
}
