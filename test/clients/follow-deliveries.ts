import { createClient } from 'graphql-sse';

const query = 'subscription { webhookDeliveries { id status startedAt } }';

/** Hands on each delivery once until the function that it returns is called, over broken connections and restarts of the gateway. */
export function followDeliveries(url: string, key: string, take: (delivery: unknown) => void): () => void {
  let lastEventId = '';
  const client = createClient({
    url,
    headers: () => ({ authorization: `Bearer ${key}`, 'last-event-id': lastEventId }),
    // Without it, a connection that breaks is made again five times.
    retryAttempts: Infinity,
  });
  let leave = () => {};
  const subscribe = (): void => {
    let mayGoOn = false;
    leave = client.subscribe<{ webhookDeliveries: unknown }, { lastEventId?: string }>(
      { query },
      {
        next({ data, errors, extensions }) {
          if (data?.webhookDeliveries != null) take(data.webhookDeliveries);
          lastEventId = extensions?.lastEventId ?? lastEventId;
          mayGoOn = errors?.every((error) => error.extensions?.['retryable']) === true;
        },
        error: console.error,
        complete() {
          if (!mayGoOn) return;
          // Not at once, and not all who were cut off together.
          const timer = setTimeout(subscribe, 1_000 + 1_000 * Math.random());
          leave = () => clearTimeout(timer);
        },
      },
    );
  };
  subscribe();
  return () => leave();
}
