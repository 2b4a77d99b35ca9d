import type { Contender } from '../contenders.ts';
import { Client, type Asked } from '../load/exchange.ts';
import type { Work } from '../load/saturation.ts';
import type { BenchQuery } from '../queries.ts';
import type { Running } from '../stage.ts';
import { compareAnswers } from './compared.ts';

/** A process of a contender under load. */
export interface Player {
  readonly running: Running;
  readonly client: Client;
  /** Of its response to the first request. */
  readonly bytes: number;
  /** The next request. */
  readonly next: () => Work;
}

// Of requests that never repeat a few are compared, as many as there are operations in turn.
const mostCompared = 20;
const connections = 64;

/** Compares the responses of the contenders, and returns them ready for load. Throws where two differ. */
export async function comparePlayers(
  started: readonly Running[],
  query: BenchQuery,
  keys: number,
): Promise<readonly Player[]> {
  const { coding } = query;
  const clients = new Map(
    started.map((running) => [running, new Client(running.origin, { connections, keys, coding })] as const),
  );
  const lengths = new Map<Running, number[]>(started.map((running) => [running, []]));
  for (let turn = 0; turn < Math.min(query.turns ?? 1, mostCompared); turn++) {
    const comparison = compareAnswers(query.name);
    const bodies = new Map<Running, Buffer>();
    for (const [running, client] of clients) {
      const { body, bytes } = await client.measure(askedIn(running.contender, query, turn));
      bodies.set(running, body);
      lengths.get(running)?.push(bytes);
    }
    for (const running of switchboardFirst(started)) comparison.take(running.contender, bodies.get(running) as Buffer);
  }
  return [...clients].map(([running, client]) => {
    const own = lengths.get(running) ?? [];
    const next = requestsOf(running.contender, query, own);
    return { running, client, bytes: own[0] ?? 0, next };
  });
}

function askedIn(contender: Contender, query: BenchQuery, turn: number): Asked {
  return contender.asks({ ...query, ...query.vary?.(turn) });
}

/** The requests of a query, one after the other. Where they come again, they are made once. */
function requestsOf(contender: Contender, query: BenchQuery, lengths: readonly number[]): () => Work {
  const { turns = 1 } = query;
  let turn = 0;
  // What was compared is not sent again where nothing repeats. All responses have the length of the first.
  const [bytes = null] = lengths;
  if (turns > mostCompared) return () => ({ asked: askedIn(contender, query, mostCompared + turn++), bytes });
  const all = Array.from({ length: turns }, (_, index) => ({
    asked: askedIn(contender, query, index),
    bytes: lengths[index] ?? null,
  }));
  return () => all[turn++ % turns] as Work;
}

function switchboardFirst(started: readonly Running[]): readonly Running[] {
  const rank = ({ contender }: Running): number => (contender.name === 'switchboard' ? 0 : 1);
  return [...started].sort((a, b) => rank(a) - rank(b));
}
