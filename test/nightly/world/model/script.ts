import { askHistory, makeChargesStep, monthAt, playBreakdown, playRevocation } from '../questions/charges.ts';
import { makeFeedStep, playFeed } from '../questions/feeds.ts';
import { makeLookUpStep, playLookUp } from '../questions/look-ups.ts';
import { makePageStep, playPage, playWalk } from '../questions/pages.ts';
import { makeRelationStep, playOwned } from '../questions/relations.ts';
import { argumentOf } from '../questions/words.ts';
import type { Client, Random, Step } from '../types.ts';
import {
  changedRow,
  honest,
  listNames,
  type Account,
  type AccountPlan,
  type ListName,
  type Manner,
} from './account.ts';
import { faultNames, type FaultName } from './fault.ts';
import type { Model } from './model.ts';
import { wordsOf } from './view.ts';

/**
 * What kind of trouble a script has: none; lists that move; lists that move and an API that fails; or an API that contradicts itself or
 * tells no counts, whose lists stand still, for nobody can tell a lie from a change.
 */
type Mood = 'calm' | 'moving' | 'faulty' | 'odd';

const lengths = [0, 1, 3, 19, 20, 21, 60, 120, 249, 250, 251, 400, 604];

// How long the questions of a script go on.
const scriptMs = 240_000;

/** A script: accounts, changes of their lists, faults of the API, and questions of their callers. */
export function makeScript(random: Random): Step[] {
  const mood = random.pick<Mood>(['calm', 'moving', 'moving', 'faulty', 'faulty', 'odd']);
  const callers = 2 + random.below(3);
  const steps: Step[] = Array.from({ length: callers }, (_, number) => ({
    at: 0,
    kind: 'account',
    number,
    plan: planOf(random, mood),
  }));
  const times = (count: number, make: (random: Random, at: number, caller: number) => Step): void => {
    for (let index = 0; index < count; index++)
      steps.push(make(random, 1 + random.below(scriptMs), random.below(callers)));
  };
  times(30 + random.below(60), questionOf);
  if (mood === 'moving' || mood === 'faulty') times(random.below(150), changeOf);
  if (mood === 'faulty') times(1 + random.below(8), faultOf);
  return steps.sort((a, b) => a.at - b.at);
}

function planOf(random: Random, mood: Mood): AccountPlan {
  const each = <T>(make: () => T): Readonly<Record<ListName, T>> => ({
    connections: make(),
    missions: make(),
    deliveries: make(),
  });
  return {
    lengths: each(() => random.pick(lengths)),
    manners: each(() => {
      const manner = mood === 'odd' || random.chance(0.15) ? mannerOf(random, mood) : honest;
      return mood === 'moving' ? { ...manner, moves: random.pick([0, 0, 0.02, 0.2, 0.5]) } : manner;
    }),
    numbers: random.pick([0, 1, 30, 700]),
  };
}

function mannerOf(random: Random, mood: Mood): Manner {
  const clamp = random.pick([null, 1, 7, 20, 99, 100, 249]);
  if (mood !== 'odd') return { ...honest, clamp, isTold: random.chance(0.6) };
  const meta = random.pick<Manner['meta']>(['whole', 'whole', 'none', 'pages']);
  // Without counts nobody can tell that a row is missing.
  const lies = meta === 'whole' ? (['none', 'none', 'short', 'doubled', 'sizes'] as const) : (['none'] as const);
  const lie = random.pick<Manner['lie']>(lies);
  return { clamp, isTold: random.chance(0.6) || lie !== 'none', meta, lie, moves: 0 };
}

function questionOf(random: Random, at: number, caller: number): Step {
  const make = random.pick([
    makePageStep,
    makePageStep,
    makePageStep,
    makeLookUpStep,
    makeChargesStep,
    makeRelationStep,
    makeFeedStep,
  ]);
  return make(random, at, caller, random.below(2));
}

function changeOf(random: Random, at: number, caller: number): Step {
  const kind = random.pick(['arrive', 'arrive', 'arrive', 'flip', 'drop', 'connect', 'mission', 'charge']);
  return {
    at,
    kind,
    caller,
    count: random.pick([1, 1, 2, 5, 60]),
    lateMs: random.pick([0, 0, 0, 1_000, 20_000]),
    share: random.next(),
    list: random.pick(listNames),
    back: random.pick([0, 0, 0, 1]),
  };
}

function faultOf(random: Random, at: number, caller: number): Step {
  if (random.chance(0.2)) return { at, kind: 'revocation', caller, replica: random.below(2), back: 1, months: 2 };
  const forMs = random.pick([200, 2_000, 20_000]);
  if (random.chance(0.15)) return { at, kind: 'key', caller, state: random.pick(['revoked', 'forbidden']), forMs };
  return {
    at,
    kind: 'fault',
    fault: random.pick(faultNames),
    share: random.pick([0.1, 0.5, 1]),
    forMs,
    caller: random.chance(0.5) ? caller : null,
    path: random.chance(0.4) ? wordsOf[random.pick(listNames)].path : null,
  };
}

/** What the caller of a step asks. */
type Player = (step: Step, model: Model, account: Account, client: Client) => Promise<unknown>;

const players: Readonly<Record<string, Player>> = {
  page: playPage,
  walk: playWalk,
  look: playLookUp,
  history: askHistory,
  breakdown: playBreakdown,
  revocation: playRevocation,
  feed: playFeed,
  owned: playOwned,
};

/** What happens to an account. */
type Change = (step: Step, account: Account, now: number) => void;

const changes: Readonly<Record<string, Change>> = {
  connect: (_step, account, now) => account.lists.connections.insert(now, [account.makeConnection(now)]),
  mission: (_step, account, now) => account.lists.missions.insert(now, [account.makeMission(now)]),
  charge: (step, { charges }, now) => charges.grow(now, monthAt(now, argumentOf<number>(step, 'back')).slice(0, 7)),
  arrive(step, account, now) {
    const [count, lateMs] = [argumentOf<number>(step, 'count'), argumentOf<number>(step, 'lateMs')];
    const momentOf = (index: number): number => now - lateMs - (count - index) * 3;
    const rows = Array.from({ length: count }, (_, index) => account.makeDelivery(momentOf(index)));
    account.lists.deliveries.insert(now, rows);
  },
  /** A delivery that had failed is delivered at last. */
  flip(step, { lists: { deliveries } }, now) {
    const row = someRow(deliveries.rows, step);
    const fields = { status: 'delivered', finished_at: new Date(now).toISOString() };
    if (row !== undefined) deliveries.replace(now, changedRow(row, fields));
  },
  drop(step, { lists }, now) {
    const list = lists[argumentOf<ListName>(step, 'list')];
    const row = someRow(list.rows, step);
    if (row !== undefined) list.remove(now, new Set([row.id]));
  },
};

function someRow<Row>(rows: readonly Row[], step: Step): Row | undefined {
  return rows[Math.floor(argumentOf<number>(step, 'share') * rows.length)];
}

/** Plays a step of a script; it is over when the promise settles. */
export async function play(step: Step, model: Model, client: Client): Promise<unknown> {
  model.count(`step ${step.kind}`);
  const now = model.world.now();
  if (step.kind === 'fault') return playFault(step, model);
  // None where the script has been cut.
  const account = model.account(step);
  if (account === undefined) return undefined;
  changes[step.kind]?.(step, account, now);
  if (step.kind === 'key') return playKey(step, model, account);
  return players[step.kind]?.(step, model, account, client);
}

function playFault(step: Step, { world, faults }: Model): void {
  const from = world.now();
  faults.add({
    from,
    to: from + argumentOf<number>(step, 'forMs'),
    fault: argumentOf<FaultName>(step, 'fault'),
    share: argumentOf<number>(step, 'share'),
    caller: argumentOf<number | null>(step, 'caller'),
    path: argumentOf<string | null>(step, 'path'),
  });
}

/** A key is revoked, or loses its right, and is good again later. */
async function playKey(step: Step, { world }: Model, account: Account): Promise<void> {
  account.keyState = argumentOf<'revoked' | 'forbidden'>(step, 'state');
  await world.sleep(argumentOf<number>(step, 'forMs'));
  account.keyState = 'good';
}
