import { makeLookUpStep, playLookUp } from '../questions/look-ups.ts';
import { makeFeedStep, playFeed } from '../questions/feeds.ts';
import {
  makeOtherStep,
  playAgent,
  playBurst,
  playFlood,
  playGreedy,
  playHealth,
  playStranger,
} from '../questions/others.ts';
import { makeRelationStep, playCounts, playFailures, playOwned, playOwner } from '../questions/relations.ts';
import { makePageStep, playCount, playPage, playWalk } from '../questions/pages.ts';
import {
  makeChargesStep,
  monthAt,
  playBreakdown,
  playCsv,
  playExport,
  playForecast,
  playHistory,
  playRevocation,
  playSummary,
} from '../questions/charges.ts';
import { argumentOf } from '../questions/words.ts';
import type { Client, Random, Step, World } from '../types.ts';
import { changedRow, honest, listNames, type AccountPlan, type ListName, type Manner } from './account.ts';
import { faultNames, type FaultName } from './fault.ts';
import type { Model } from './model.ts';
import { wordsOf } from './view.ts';

/** What kind of trouble a script has; a calm one lets nothing pass. */
type Mood = 'calm' | 'moving' | 'faulty' | 'odd';

const lengths = [0, 1, 3, 19, 20, 21, 60, 120, 249, 250, 251, 400, 604];

const replicas = 2;

/** How long the questions of a script go on. */
export const scriptMs = 240_000;

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
  const moment = (): number => 1 + random.below(scriptMs);
  const caller = (): number => random.below(callers);
  const times = (count: number, make: (at: number) => Step): void => {
    for (let index = 0; index < count; index++) steps.push(make(moment()));
  };
  times(30 + random.below(60), (at) => questionOf(random, at, caller()));
  if (mood !== 'calm') times(random.below(150), (at) => changeOf(random, at, caller()));
  if (mood === 'faulty') times(1 + random.below(8), (at) => faultOf(random, at, caller()));
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
  const meta = mood === 'odd' ? random.pick<Manner['meta']>(['whole', 'whole', 'none', 'pages']) : 'whole';
  // Without counts nobody can tell that a row is missing.
  const lie =
    mood === 'odd' && meta === 'whole'
      ? random.pick<Manner['lie']>(['none', 'none', 'short', 'doubled', 'sizes'])
      : 'none';
  return { clamp, isTold: random.chance(0.6) || lie !== 'none', meta, lie, moves: 0 };
}

function questionOf(random: Random, at: number, caller: number): Step {
  const replica = random.below(replicas);
  const make = random.pick([
    makePageStep,
    makePageStep,
    makePageStep,
    makeLookUpStep,
    makeChargesStep,
    makeRelationStep,
    makeFeedStep,
    makeOtherStep,
  ]);
  return make(random, at, caller, replica);
}

function changeOf(random: Random, at: number, caller: number): Step {
  const kind = random.pick(['arrive', 'arrive', 'arrive', 'flip', 'drop', 'connect', 'mission', 'charge', 'rename']);
  const count = random.pick([1, 1, 2, 5, 60]);
  const lateMs = random.pick([0, 0, 0, 1_000, 20_000]);
  return {
    at,
    kind,
    caller,
    count,
    lateMs,
    share: random.next(),
    list: random.pick(listNames),
    back: random.pick([0, 0, 0, 1]),
  };
}

function faultOf(random: Random, at: number, caller: number): Step {
  if (random.chance(0.2))
    return { at, kind: 'revocation', caller, replica: random.below(replicas), back: 1, months: 2 };
  if (random.chance(0.15))
    return {
      at,
      kind: 'key',
      caller,
      state: random.pick(['revoked', 'forbidden']),
      forMs: random.pick([1_000, 20_000]),
    };
  return {
    at,
    kind: 'fault',
    fault: random.pick(faultNames),
    share: random.pick([0.1, 0.5, 1]),
    forMs: random.pick([200, 2_000, 20_000]),
    caller: random.chance(0.5) ? caller : null,
    path: random.chance(0.4) ? wordsOf[random.pick(listNames)].path : null,
  };
}

type Player = (step: Step, model: Model, client: Client) => Promise<void> | void;

const players: Readonly<Record<string, Player>> = {
  page: playPage,
  walk: playWalk,
  count: playCount,
  look: playLookUp,
  summary: playSummary,
  history: playHistory,
  forecast: playForecast,
  breakdown: playBreakdown,
  csv: playCsv,
  export: playExport,
  feed: playFeed,
  owner: playOwner,
  owned: playOwned,
  counts: playCounts,
  failures: playFailures,
  stranger: playStranger,
  agent: playAgent,
  burst: playBurst,
  greedy: playGreedy,
  flood: playFlood,
  health: playHealth,
  arrive: playArrival,
  flip: playFlip,
  drop: playDrop,
  connect: (step, model) =>
    model
      .account(step)
      ?.lists.connections.insert(model.world.now(), [model.account(step)!.makeConnection(model.world.now())]),
  mission: (step, model) =>
    model
      .account(step)
      ?.lists.missions.insert(model.world.now(), [model.account(step)!.makeMission(model.world.now())]),
  rename: playRename,
  revocation: playRevocation,
  charge: (step, model) =>
    model
      .account(step)
      ?.charges.grow(model.world.now(), monthAt(model.world.now(), argumentOf<number>(step, 'back')).slice(0, 7)),
  fault: playFault,
  key: playKey,
};

/** Plays a step of a script; it is over when the promise settles. Steps of other kinds are the engine's own. */
export async function play(step: Step, _world: World, client: Client, model: Model): Promise<void> {
  model.count(`step ${step.kind}`);
  await players[step.kind]?.(step, model, client);
}

function playArrival(step: Step, model: Model): void {
  const account = model.account(step);
  if (account === undefined) return;
  const now = model.world.now();
  const count = argumentOf<number>(step, 'count');
  const lateMs = argumentOf<number>(step, 'lateMs');
  const rows = Array.from({ length: count }, (_, index) => account.makeDelivery(now - lateMs - (count - index) * 3));
  account.lists.deliveries.insert(now, rows);
}

/** A delivery that had failed is delivered at last. */
function playFlip(step: Step, model: Model): void {
  const account = model.account(step);
  const rows = account?.lists.deliveries.rows ?? [];
  const row = rows[Math.floor(argumentOf<number>(step, 'share') * rows.length)];
  if (account === undefined || row === undefined) return;
  account.lists.deliveries.replace(
    model.world.now(),
    changedRow(row, { status: 'delivered', finished_at: new Date(model.world.now()).toISOString() }),
  );
}

/** A connection gets another name, so that what was noted of it no longer leads to it. */
function playRename(step: Step, model: Model): void {
  const account = model.account(step);
  const rows = account?.lists.connections.rows ?? [];
  const row = rows[Math.floor(argumentOf<number>(step, 'share') * rows.length)];
  if (account === undefined || row === undefined) return;
  account.lists.connections.replace(
    model.world.now(),
    changedRow(row, { connection_name: `renamed office ${step.at}` }),
  );
}

function playDrop(step: Step, model: Model): void {
  const list = model.account(step)?.lists[argumentOf<ListName>(step, 'list')];
  const row = list?.rows[Math.floor(argumentOf<number>(step, 'share') * list.rows.length)];
  if (row !== undefined) list?.remove(model.world.now(), new Set([row.id]));
}

function playFault(step: Step, model: Model): void {
  const now = model.world.now();
  model.faults.add({
    from: now,
    to: now + argumentOf<number>(step, 'forMs'),
    fault: argumentOf<FaultName>(step, 'fault'),
    share: argumentOf<number>(step, 'share'),
    caller: argumentOf<number | null>(step, 'caller'),
    path: argumentOf<string | null>(step, 'path'),
  });
}

/** A key is revoked, or loses its right, and is good again later. */
async function playKey(step: Step, model: Model): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  account.keyState = { is: argumentOf<'revoked' | 'forbidden'>(step, 'state'), since: model.world.now() };
  await model.world.sleep(argumentOf<number>(step, 'forMs'));
  account.keyState = { is: 'good', since: model.world.now() };
}
