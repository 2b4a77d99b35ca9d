import { useMemo, useState } from 'react';
import { Provider } from 'urql';
import { Charges } from '../charges/charges.tsx';
import { Connections } from '../connections/connections.tsx';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { AccessContext } from '../gateway/access.ts';
import { createClient } from '../gateway/client.ts';
import { Missions } from '../missions/missions.tsx';
import { Overview } from '../overview/overview.tsx';
import { Mishap } from '../parts/mishap.tsx';
import { RefusedKey } from './refused-key.tsx';

/** Everything of one key; a new key begins anew, so that no row of another is ever shown. */
export function Account({ apiKey }: { readonly apiKey: string }) {
  const [{ isRefused, wasTaken }, setAnswer] = useState({ isRefused: false, wasTaken: false });
  const [client, access] = useMemo(() => {
    const onAnswer = (refused: boolean): void =>
      setAnswer((last) => ({ isRefused: refused, wasTaken: last.wasTaken || !refused }));
    return [createClient(apiKey, onAnswer), { key: apiKey, onRefused: () => onAnswer(true) }];
  }, [apiKey]);
  return (
    <Provider value={client}>
      <AccessContext value={access}>
        {isRefused && <RefusedKey />}
        {(wasTaken || !isRefused) && <Sections />}
      </AccessContext>
    </Provider>
  );
}

function Sections() {
  return (
    <>
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
    </>
  );
}
