import { createHash } from 'node:crypto';
import { Model } from '../model/model.ts';
import { makeScript, play } from '../model/script.ts';
import type { Broken, Client, Random, Step, World } from '../types.ts';
import { serveApi } from './api-server.ts';
import { createRandom } from './chance.ts';
import { createClient } from './client.ts';
import { beginEntropy } from './entropy.ts';
import { faults, makeFaults, type FaultParts } from './faults.ts';
import type { Gateway } from './gateway.ts';
import { Replicas } from './replicas.ts';
import { chooseSetup, settingOf, type Setup } from './settings.ts';
import { beginTime, now, runTime, setWorldTimeout } from './time.ts';
import { beginWires } from './wire.ts';

/** A run: its seed, and the steps that are played. */
export interface RunOptions {
  readonly seed: string;
  readonly steps: readonly Step[];
  /** Whether the world ends with the first broken promise. */
  readonly isHasty?: boolean;
  /** Hears each line of the trace. */
  readonly traced?: (line: string) => void;
}

/** What came of a run. */
export interface Outcome {
  readonly seed: string;
  readonly broken: readonly Broken[];
  /** Of the whole trace: equal for equal runs. */
  readonly trace: string;
  readonly hours: number;
  readonly requests: number;
  readonly calls: number;
  /** How often what was seen by the judge. */
  readonly tally: Readonly<Record<string, number>>;
}

// After the last step: longer than any request takes, and than what waits for a breaker.
const settlingMs = 120_000;

const setupOf = (seed: string): Setup => chooseSetup(createRandom(`${seed} setup`));

/** The script of a seed: clients and faults, in the order of their time. */
export function scriptOf(seed: string): readonly Step[] {
  const setup = setupOf(seed);
  const steps = makeScript(createRandom(`${seed} script`));
  const length = steps.reduce((most, { at }) => Math.max(most, at), 0);
  const all = [...steps, ...makeFaults(createRandom(`${seed} faults`), length, setup.replicas)];
  return withPause(createRandom(`${seed} pause`), all, length, setup).sort((a, b) => a.at - b.at);
}

// A pause may take about a second of the processor.
const eventsOfPause = 120_000;

/** In some worlds hours pass between two steps, with the streams that are open, and all that is kept. */
function withPause(random: Random, steps: readonly Step[], length: number, setup: Setup): Step[] {
  const from = random.chance(0.5) ? length * random.next() : Infinity;
  const hours = random.pick([0.2, 1, 10, 300]) * (0.5 + random.next());
  // What happens in an hour in which nobody asks for anything: polls, and looks at readers.
  const times = (milliseconds: number): number => 3_600_000 / milliseconds;
  const polls = 60 * times(settingOf(setup, 'SUBSCRIPTION_POLL_MS'));
  const looks = 4 * times(settingOf(setup, 'RESPONSE_STALL_TIMEOUT_MS'));
  const events = setup.replicas * (polls + looks);
  const ms = Math.round(3_600_000 * Math.min(hours, eventsOfPause / events));
  return steps.map((step) => (step.at < from ? step : { ...step, at: step.at + ms }));
}

/** Runs a world from its beginning to its end. */
export async function runWorld(options: RunOptions, gateway: Gateway): Promise<Outcome> {
  const { seed, isHasty = false } = options;
  const setup = setupOf(seed);
  beginTime(setup.wallMs);
  beginEntropy(`${seed} entropy`);
  beginWires(`${seed} wires`, (random) => ({
    latencyMs: random.chance(0.7) ? 1 : 1 + random.below(20),
    parts: random.chance(0.8) ? 1 : 1 + random.below(20),
  }));
  const run = new Run(setup, options);
  let isOver = false;
  const played = run.play(gateway).finally(() => (isOver = true));
  const isEnough = (): boolean => isOver || (isHasty && run.model.broken.length > 0);
  if (!(await runTime(isEnough, run.fail))) run.model.breach('the world goes on', 'nothing is left to happen');
  else if (isOver) await played;
  return run.outcome();
}

/** One world. */
class Run {
  readonly model: Model;
  readonly #setup: Setup;
  readonly #steps: readonly Step[];
  readonly #seed: string;
  readonly #world: World;
  readonly #hash = createHash('sha256');
  readonly #counts = { requests: 0, calls: 0 };
  readonly #underWay = new Set<string>();

  constructor(setup: Setup, { seed, steps, traced }: RunOptions) {
    this.#seed = seed;
    this.#setup = setup;
    this.#steps = steps;
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
    this.model = new Model(this.#world, steps, setup);
  }

  readonly fail = (error: unknown): void => {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.model.breach('nothing is thrown that nobody catches', stack);
  };

  async play(gateway: Gateway): Promise<void> {
    const { model } = this;
    const world = this.#world;
    const { env, isCompiling, replicas: count } = this.#setup;
    serveApi(world, model.api, ({ method, path, query }) => {
      this.#counts.calls++;
      world.trace(`call ${method} ${path}?${query}`);
    });
    const replicas = new Replicas({
      world,
      gateway,
      env,
      isCompiling,
      logged: (replica, text) => {
        model.judgeSecrets(text, 'the log');
        world.trace(`log ${replica} ${text}`);
      },
      broke: (promise, detail) => model.breach(promise, detail),
    });
    await Promise.all(Array.from({ length: count }, (_, index) => replicas.start(index)));
    const client = this.#clientOf(replicas);
    await this.#playSteps({ world, replicas }, client);
    await world.sleep(settlingMs);
    for (const question of this.#underWay) model.breach('every request ends', question);
    for (const replica of replicas.running) {
      const { body } = await client.request(replica, { method: 'GET', path: '/metrics', headers: {} });
      model.judgeMetrics(body);
    }
    await replicas.stopAll();
  }

  async #playSteps(parts: FaultParts, client: Client): Promise<void> {
    const { world } = parts;
    const playing: Promise<unknown>[] = [];
    for (const step of this.#steps) {
      if (step.at > now()) await world.sleep(step.at - now());
      world.trace(`step ${JSON.stringify(step)}`);
      const fault = faults[step.kind];
      if (fault === undefined) playing.push(play(step, this.model, client).catch(this.fail));
      else {
        this.model.count(`fault ${step.kind}`);
        this.model.disturbances.note(step, world.now());
        playing.push(Promise.resolve(fault.play(step, parts)).catch(this.fail));
      }
    }
    await Promise.race([Promise.all(playing), world.sleep(600_000)]);
  }

  #clientOf(replicas: Replicas): Client {
    const portOf = (replica: number): number => replicas.portOf(replica % this.#setup.replicas);
    return createClient(portOf, (replica, { method, path, body = '' }) => {
      const number = ++this.#counts.requests;
      const name = `${number} ${method} ${path} to ${replica}: ${body.slice(0, 300)}`;
      this.#underWay.add(name);
      this.#world.trace(`request ${name}`);
      return ({ status, body: text, ended }) => {
        this.#underWay.delete(name);
        this.#world.trace(`answer ${number} ${status} ${ended} ${createHash('sha256').update(text).digest('hex')}`);
      };
    });
  }

  outcome(): Outcome {
    return {
      seed: this.#seed,
      broken: this.model.broken.map((each) => ({ ...each, at: each.at - this.#setup.wallMs })),
      trace: this.#hash.digest('hex'),
      hours: now() / 3_600_000,
      ...this.#counts,
      tally: Object.fromEntries(this.model.tally),
    };
  }
}
