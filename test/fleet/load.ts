import { Agent, request, type IncomingMessage } from 'node:http';
import { subscribe } from '../support/event-stream.ts';

/** What became of the requests of a load. */
export interface Tally {
  /** Requests that had their response in the end. */
  readonly served: number;
  /** Requests that had none after all repetitions. */
  readonly lost: number;
  /** Failed attempts that a repetition has made good, by how they failed: a status, or the code of a failed connection. */
  readonly repeated: Readonly<Record<string, number>>;
}

export interface Load {
  readonly tally: () => Tally;
  /** Ends it; resolves when no request is under way. */
  stop(): Promise<void>;
}

const repetitions = 20;
const pauseMs = 100;

/** Callers who send one query after another over connections that are kept, and repeat what fails: a query changes nothing. */
export function startLoad(url: string, callers: number, query: string): Load {
  const agent = new Agent({ keepAlive: true });
  const repeated: Record<string, number> = {};
  let served = 0;
  let lost = 0;
  let isOver = false;
  const goesOn = (): boolean => !isOver;

  async function serve(key: string): Promise<void> {
    for (let attempt = 0; attempt <= repetitions; attempt++) {
      const outcome = await send(url, key, query, agent);
      if (outcome === 'served') {
        served += 1;
        return;
      }
      repeated[outcome] = (repeated[outcome] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    lost += 1;
  }

  const loops = Array.from({ length: callers }, async (_, index) => {
    while (goesOn()) await serve(`caller-${index}`);
  });
  return {
    tally: () => ({ served, lost, repeated: { ...repeated } }),
    async stop() {
      isOver = true;
      await Promise.all(loops);
      agent.destroy();
    },
  };
}

function send(url: string, key: string, query: string, agent: Agent): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => resolve(error.code ?? 'failed');
    const answered = (res: IncomingMessage): void => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      res.once('error', failed).once('end', () => resolve(outcomeOf(res.statusCode ?? 0, text)));
    };
    const asking = request(`${url}/graphql`, { method: 'POST', agent, headers }, answered);
    asking.once('error', failed).end(JSON.stringify({ query }));
  });
}

function outcomeOf(status: number, text: string): string {
  if (status !== 200) return String(status);
  const { errors } = JSON.parse(text) as { errors?: { extensions: { code: string } }[] };
  return errors?.[0]?.extensions.code ?? 'served';
}

/** Follows live deliveries as the client guide says: after a stream has ended, on from its last event. */
export interface Follower {
  /** The identifiers of the deliveries, in the order in which they came. */
  readonly ids: readonly string[];
  /** How often a stream has ended. */
  readonly endings: () => number;
  stop(): Promise<void>;
}

/** Resolves when the first stream has begun. */
export async function startFollower(url: string, key: string): Promise<Follower> {
  const ids: string[] = [];
  let endings = 0;
  let isOver = false;
  const goesOn = (): boolean => !isOver;
  let lastEventId = '';
  let leave = (): void => {};
  const begun = Promise.withResolvers<void>();

  async function follow(): Promise<void> {
    const headers: Record<string, string> = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
    const stream = await subscribe({ url }, 'subscription { webhookDeliveries { id } }', { key, headers });
    leave = () => stream.close();
    if (isOver) leave();
    if (stream.status === 200) await Promise.race([stream.begun, stream.ended]);
    begun.resolve();
    await stream.ended;
    lastEventId = stream.lastEventId || lastEventId;
    for (const { data } of stream.events)
      if (data?.data?.webhookDeliveries != null) ids.push(data.data.webhookDeliveries.id);
  }

  const loop = (async () => {
    while (goesOn()) {
      await follow().catch(() => {});
      if (isOver) break;
      endings += 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  })();
  await begun.promise;
  return {
    ids,
    endings: () => endings,
    async stop() {
      isOver = true;
      leave();
      await loop;
    },
  };
}
