import { expect } from 'vitest';
import { Random } from '../../src/sandbox/random.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';
import { actions, scanPages, type Action, type Outcome } from './actions.ts';
import { askWith } from './client.ts';
import { honest, kinds, liesOf, type Kind } from './lies.ts';
import { LyingList } from './lying-list.ts';
import { movesOf, movingActions } from './moving-actions.ts';
import { connections, deliveries, missions } from './noun.ts';

export interface ModelOptions {
  readonly seed: string;
  /** Which runs of the seed: each has an upstream, a client and lies of its own. */
  readonly numbers: Iterable<number>;
}

/** How often what came of which. */
export type Tally = ReadonlyMap<string, number>;

interface World {
  readonly kind: Kind;
  readonly name: string;
  readonly action: Action;
  readonly lists: readonly LyingList[];
}

const atOnce = 8;
const settings = {
  LOG_LEVEL: 'silent',
  UPSTREAM_SCAN_PAGES: String(scanPages),
  UPSTREAM_BREAKER_OPEN_MS: '1',
  LIMIT_COST: '1000000',
};

function createWorld(seed: string): World {
  const random = new Random(seed);
  const kind = random.pick(kinds);
  const [name, action] = random.pick<[string, Action]>(Object.entries(kind === 'moving' ? movingActions : actions));
  const happen = kind === 'moving' ? movesOf(random) : null;
  const liar = random.pick([connections, deliveries, missions]);
  const length = random.pick([0, 1, random.int(2, 30), random.int(20, 120), random.int(100, 700), 600, 604]);
  const lists = [connections, deliveries, missions].map((noun) => {
    const isLiar = noun === liar;
    const lies = isLiar ? liesOf(kind, random) : honest;
    return new LyingList({ noun, isLiar, length: isLiar ? length : 20, lies, seed, happen: isLiar ? happen : null });
  });
  return { kind, name, action, lists };
}

/** Throws for the first run whose answers are neither right nor an error, with the seed and the number that repeat it. */
export async function runModel({ seed, numbers }: ModelOptions): Promise<Tally> {
  const upstream = await startScriptedUpstream();
  const worlds = new Map<string, World>();
  upstream.script((request) => {
    upstream.requests.length = 0;
    const world = worlds.get(String(request.headers.authorization).replace('Bearer ', ''));
    const list = world?.lists.find(({ noun }) => noun.path === request.path);
    return list === undefined ? { status: 404 } : list.answer(request);
  });
  // Upstreams that fail would open the breaker of the others, too.
  const gateways = {
    failing: await startGateway(upstream.baseUrl, settings),
    other: await startGateway(upstream.baseUrl, settings),
  };
  const tally = new Map<string, number>();

  async function run(number: number): Promise<void> {
    const world = createWorld(`${seed} ${number}`);
    const key = `key-${number}`;
    worlds.set(key, world);
    const list = world.lists.find(({ isLiar }) => isLiar) as LyingList;
    try {
      const outcome = await act(world, list, askWith(gatewayFor(list, gateways), key), `${seed} ${number} action`);
      const name = `${world.kind} ${world.name} ${outcome}`;
      tally.set(name, (tally.get(name) ?? 0) + 1);
    } catch (error) {
      const { lies, noun, rows } = list;
      const told = `${world.kind}, ${world.name} of ${rows.length} ${noun.list} ${JSON.stringify(lies)}`;
      throw new Error(`LYING_SEED=${seed} LYING_ONLY=${number}: ${told}: ${String(error)}`, { cause: error });
    } finally {
      worlds.delete(key);
    }
  }

  const rest = numbers[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await run(next.value);
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await Promise.all([gateways.failing.close(), gateways.other.close()]);
    await upstream.close();
  }
  return tally;
}

function gatewayFor(list: LyingList, { failing, other }: Readonly<Record<'failing' | 'other', Gateway>>): Gateway {
  return list.lies.failing > 0 ? failing : other;
}

async function act(
  { kind, name, action, lists }: World,
  list: LyingList,
  ask: ReturnType<typeof askWith>,
  seed: string,
): Promise<Outcome> {
  const [connectionList, deliveryList] = lists as [LyingList, LyingList, LyingList];
  const others = { connections: connectionList, deliveries: deliveryList };
  let outcome: Outcome;
  try {
    outcome = await action({ ask, list, random: new Random(seed), others });
  } catch (error) {
    // Nobody could have told such a page from an honest one.
    if (list.isDeceptive) return 'deceived';
    throw error;
  }
  for (const { asked, noun } of lists) {
    expect(asked.largest, 'page[size] above the limit').toBeLessThanOrEqual(noun.pageLimit);
    expect(asked.smallest, 'page[size] below 1').toBeGreaterThan(0);
    expect(asked.lowest, 'page[number] below 1').toBeGreaterThan(0);
  }
  if (kind === 'honest') expect(outcome).toBe('right');
  // Smaller pages are read, as long as the calls of a search suffice for them.
  if (kind !== 'clamped' || list.isDeceptive) return outcome;
  const isEnough = callsFor(list) + (name === 'nodes' ? scanPages / 2 : 0) <= scanPages;
  expect([outcome, isEnough], 'an error though the calls suffice').not.toEqual(['exhausted', true]);
  expect(outcome, 'an error though the length is told').not.toBe('error');
  return outcome;
}

/** The fewest calls that could show all of a list. */
function callsFor({ rows, lies }: LyingList): number {
  return Math.ceil(rows.length / Math.min(...lies.sizes.most)) + 2;
}
