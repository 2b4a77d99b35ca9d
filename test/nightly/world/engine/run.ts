import { createHash } from 'node:crypto';
import type { Api, Broken, Client, Random, Step, World } from '../types.ts';
import { serveApi } from './api-server.ts';
import { createRandom } from './chance.ts';
import { createClient } from './client.ts';
import { beginEntropy } from './entropy.ts';
import { faults, makeFaults } from './faults.ts';
import type { Gateway } from './gateway.ts';
import { Replicas } from './replicas.ts';
import { chooseSetup, type Setup } from './settings.ts';
import { serveStore } from './store.ts';
import { beginTime, now, runTime, setWorldTimeout } from './time.ts';
import { beginWires } from './wire.ts';

/** What a world is about: accounts, their clients, and the judge. */
export interface ModelPart<Model extends Judge = Judge> {
  makeScript(random: Random): Step[];
  createModel(world: World, settings: Setup['env'], steps: readonly Step[]): Model;
  play(step: Step, world: World, client: Client, model: Model): Promise<void>;
  /** Tells of a fault of the world, before it comes. */
  told(model: Model, step: Step): void;
  /** Hands over a text that left the gateway elsewhere than to a client. */
  hear(model: Model, place: 'log' | 'metrics' | 'store', text: string): void;
  /** Looks at what has to be back at its level when all is over. */
  end?(model: Model, client: Client): Promise<void>;
}

/** The judge of one run, and the API that it knows. */
export interface Judge {
  readonly api: Api;
  readonly broken: readonly Broken[];
}

/** A run, which its seed decides, or the steps that are given in the place of the seed's own. */
export interface RunOptions {
  readonly seed: string;
  readonly steps?: readonly Step[];
  /** Whether the world ends with the first broken promise. */
  readonly isHasty?: boolean;
  /** Hears each line of the trace. */
  readonly traced?: (line: string) => void;
}

/** What came of a run. */
export interface Outcome {
  readonly seed: string;
  readonly broken: readonly Broken[];
  readonly steps: readonly Step[];
  /** Of the whole trace: equal for equal runs. */
  readonly trace: string;
  readonly hours: number;
  readonly requests: number;
  readonly calls: number;
  readonly faults: number;
}

// After the last step: longer than any request takes, and than what waits for a store or a breaker.
const settlingMs = 120_000;

/** Whether a seed is that of a world of days or weeks, most of which nothing but time passes. */
const isLong = (seed: string): boolean => seed.startsWith('long ');

const pausesOfLong = 6;

function setupOf(seed: string): Setup {
  return chooseSetup(createRandom(`${seed} setup`), isLong(seed));
}

/** The script of a seed: clients and faults, in the order of their time. */
export function scriptOf(seed: string, { makeScript }: Pick<ModelPart, 'makeScript'>): readonly Step[] {
  const setup = setupOf(seed);
  const made = makeScript(createRandom(`${seed} script`));
  // Who follows a feed comes back until all is there, which takes as many events as all else.
  const steps = isLong(seed) ? made.filter(({ kind }) => kind !== 'feed') : made;
  const length = steps.reduce((most, { at }) => Math.max(most, at), 0);
  const all = [...steps, ...makeFaults(createRandom(`${seed} faults`), length, setup.replicas)];
  const random = createRandom(`${seed} pause`);
  let paused = withPause(random, all, length, setup);
  if (isLong(seed))
    for (let pause = 0; pause < pausesOfLong; pause++) paused = withPause(random, paused, length, setup, true);
  return paused.sort((a, b) => a.at - b.at);
}

const longestSleepMs = 2_000_000_000;

// A pause may take about a second of the processor.
const eventsOfPause = 120_000;

/** How much happens in an hour in which nobody asks for anything: polls, looks at readers, and pings of the store. */
function eventsPerHour({ env, replicas }: Setup): number {
  const times = (milliseconds: number): number => 3_600_000 / milliseconds;
  const polls = 60 * times(Number(env['SUBSCRIPTION_POLL_MS'] ?? 2_000));
  const looks = 4 * times(Number(env['RESPONSE_STALL_TIMEOUT_MS'] ?? 15_000));
  const pings = 'SHARED_STATE_URL' in env ? 12 * times(1_000) : 0;
  return replicas * (polls + looks + pings);
}

/** In some worlds hours pass between two steps, with the streams that are open, and all that is kept. */
function withPause(random: Random, steps: readonly Step[], length: number, setup: Setup, isLongOne = false): Step[] {
  const from = isLongOne || random.chance(0.5) ? length * random.next() : Infinity;
  const wanted = random.pick(isLongOne ? [24, 200, 720] : [0.2, 1, 10, 300]) * (0.5 + random.next());
  // Nobody follows a feed in a long world: next to nothing happens in its hours but that months end and what is kept grows old.
  const hours = isLongOne ? wanted : Math.min(wanted, eventsOfPause / eventsPerHour(setup));
  const ms = 3_600_000 * hours;
  return steps.map((step) => (step.at < from ? step : { ...step, at: step.at + Math.round(ms) }));
}

/** Runs a world from its beginning to its end. */
export async function runWorld(options: RunOptions, model: ModelPart, gateway: Gateway): Promise<Outcome> {
  const { seed, traced, isHasty = false, steps = scriptOf(seed, model) } = options;
  const setup = setupOf(seed);
  beginTime(setup.wallMs, isLong(seed));
  beginEntropy(`${seed} entropy`);
  beginWires(`${seed} wires`, (random) => ({
    latencyMs: random.chance(0.7) ? 1 : 1 + random.below(20),
    parts: random.chance(0.8) ? 1 : 1 + random.below(20),
    room: random.pick([4_096, 65_536, 262_144]),
  }));
  const run = new Run(seed, setup, steps, traced, model);
  let isOver = false;
  const played = run.play(gateway).finally(() => (isOver = true));
  const isEnough = (): boolean => isOver || (isHasty && run.isBroken);
  if (!(await runTime(isEnough, run.fail)))
    run.broke({ promise: 'the world goes on', detail: 'nothing is left to happen' });
  else if (isOver) await played;
  return run.outcome();
}

/** One world. */
class Run {
  readonly #setup: Setup;
  readonly #steps: readonly Step[];
  readonly #seed: string;
  readonly #part: ModelPart;
  readonly #world: World;
  readonly #hash = createHash('sha256');
  readonly #broken: Broken[] = [];
  readonly #counts = { requests: 0, calls: 0, faults: 0 };
  readonly #underWay = new Set<string>();
  #model: Judge | null = null;

  constructor(seed: string, setup: Setup, steps: readonly Step[], traced: RunOptions['traced'], part: ModelPart) {
    this.#seed = seed;
    this.#setup = setup;
    this.#steps = steps;
    this.#part = part;
    this.#world = {
      random: createRandom(`${seed} world`),
      now: () => setup.wallMs + now(),
      after: (ms, act) => void setWorldTimeout(act, ms),
      sleep: (ms) => new Promise((resolve) => void setWorldTimeout(() => resolve(), ms)),
      trace: (line) => {
        const text = `${Math.round(now())} ${line}\n`;
        this.#hash.update(text);
        traced?.(text);
      },
    };
  }

  readonly fail = (error: unknown): void => {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.broke({ promise: 'nothing is thrown that nobody catches', detail: stack });
  };

  get isBroken(): boolean {
    return this.#broken.length > 0 || (this.#model !== null && this.#model.broken.length > 0);
  }

  broke(broken: Omit<Broken, 'at'>): void {
    this.#broken.push({ ...broken, at: this.#world.now() });
    this.#world.trace(`broken: ${broken.promise}`);
  }

  async play(gateway: Gateway): Promise<void> {
    const world = this.#world;
    const { env, isCompiling, replicas: count } = this.#setup;
    const model = this.#part.createModel(world, { ...env, REPLICAS: String(count) }, this.#steps);
    this.#model = model;
    serveApi(world, model.api, ({ method, path, query }) => {
      this.#counts.calls++;
      world.trace(`call ${method} ${path}?${query}`);
    });
    const store = serveStore(world, createRandom(`${this.#seed} store`), (command) => {
      for (const part of command) this.#part.hear(model, 'store', part.toString('latin1'));
      world.trace(`store ${command[0]?.toString()} ${command.length}`);
    });
    const replicas = new Replicas({
      world,
      gateway,
      env,
      isCompiling,
      logged: (replica, text) => {
        this.#part.hear(model, 'log', text);
        world.trace(`log ${replica} ${text}`);
      },
      broke: (broken) => this.broke(broken),
    });
    await Promise.all(Array.from({ length: count }, (_, index) => replicas.start(index)));
    const client = this.#clientOf(replicas);
    await this.#playSteps(world, { world, replicas, store }, client, model);
    await world.sleep(settlingMs);
    for (const question of this.#underWay) this.broke({ promise: 'every request ends', detail: question });
    for (const replica of replicas.running) {
      const { body } = await client.request(replica, { method: 'GET', path: '/metrics', headers: {} });
      this.#part.hear(model, 'metrics', body);
    }
    await this.#part.end?.(model, client);
    await replicas.stopAll();
    store.close();
  }

  async #playSteps(
    world: World,
    parts: { world: World; replicas: Replicas; store: ReturnType<typeof serveStore> },
    client: Client,
    model: Judge,
  ): Promise<void> {
    const playing: Promise<unknown>[] = [];
    for (const step of this.#steps) {
      // A timer is a month at most.
      while (step.at > now()) await world.sleep(Math.min(step.at - now(), longestSleepMs));
      world.trace(`step ${JSON.stringify(step)}`);
      const fault = faults[step.kind];
      if (fault === undefined) playing.push(this.#part.play(step, world, client, model).catch(this.fail));
      else {
        this.#counts.faults++;
        this.#part.told(model, step);
        playing.push(Promise.resolve(fault.play(step, parts)).catch(this.fail));
      }
    }
    await Promise.race([Promise.all(playing), world.sleep(600_000)]);
  }

  #clientOf(replicas: Replicas): Client {
    return createClient((replica) => replicas.portOf(replica % this.#setup.replicas), {
      connected: () => {},
      asked: (replica, { method, path, body = '' }) => {
        const number = ++this.#counts.requests;
        const name = `${number} ${method} ${path} to ${replica}: ${body.slice(0, 300)}`;
        this.#underWay.add(name);
        this.#world.trace(`request ${name}`);
        return ({ status, body: text, ended }) => {
          this.#underWay.delete(name);
          this.#world.trace(`answer ${number} ${status} ${ended} ${createHash('sha256').update(text).digest('hex')}`);
        };
      },
    });
  }

  outcome(): Outcome {
    const { requests, calls, faults: played } = this.#counts;
    const all = [...this.#broken, ...(this.#model?.broken ?? [])].map((each) => ({
      ...each,
      at: each.at - this.#setup.wallMs,
    }));
    const broken = all.sort((a, b) => a.at - b.at);
    const trace = this.#hash.digest('hex');
    return {
      seed: this.#seed,
      broken,
      steps: this.#steps,
      trace,
      hours: now() / 3_600_000,
      requests,
      calls,
      faults: played,
    };
  }
}
