import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { stopMs } from '../../src/bounds.ts';
import { startProgram, type Ending, type Program } from '../support/program.ts';
import type { Attack } from './attack.ts';
import type { Fault } from './fault.ts';

const errnos = ['ENOSPC', 'EIO', 'EFBIG', 'EDQUOT', 'EPIPE', 'EBADF', 'EAGAIN', 'EINTR'] as const;
/** What a descriptor does: each write fails after half of one was taken, or none comes back. */
export type OutputFault = (typeof errnos)[number] | 'held';
export const outputFaults: readonly OutputFault[] = [...errnos, 'held'];

/** What is wrong with the descriptors of the process, and with the gateway itself. */
export interface OutputState {
  readonly number: number;
  readonly stdout?: OutputFault | 'none';
  readonly stderr?: OutputFault | 'none';
  readonly plant?: string;
}

type Descriptors = 'stdout' | 'stderr' | 'both';
type Trouble = readonly [OutputFault, Descriptors];

/** One life of a process: what is wrong as it starts, one after the other under load, and as it stops. */
export interface OutputCourse {
  readonly workers: 1 | 2;
  readonly start: Trouble | null;
  readonly load: readonly Trouble[];
  readonly stop: Trouble | null;
}

const trouble = fc.tuple(fc.constantFrom(...outputFaults), fc.constantFrom<Descriptors>('stdout', 'stderr', 'both'));

const courses: fc.Arbitrary<OutputCourse> = fc.record({
  workers: fc.constantFrom(1, 2),
  start: fc.option(trouble),
  load: fc.array(trouble, { maxLength: 3 }),
  stop: fc.option(trouble),
});

// A machine that is busy with other things takes longer for all of it.
const startPatienceMs = 120_000;
const patienceMs = 30_000;
const stopPatienceMs = stopMs + 10_000;
const requestsOfTrouble = 20;

/** Checks that a gateway serves, accounts for its log and ends, whatever its standard output and standard error do. */
export function createOutputAttack(plant = 'none'): Attack<OutputCourse> {
  return {
    inputs: courses,
    run: async (inputs) => (await Promise.all(inputs.map((course) => faultsOfCourse(course, plant)))).flat(),
    describe: (course) => `a process with ${JSON.stringify(course)}`,
  };
}

async function faultsOfCourse(course: OutputCourse, plant: string): Promise<readonly Fault[]> {
  const folder = mkdtempSync(join(tmpdir(), 'output-fault-'));
  await using gateway = await startWithFaults(course, plant, join(folder, 'state'));
  try {
    return await judged(gateway, course);
  } finally {
    gateway.set(null);
    await gateway.program[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  }
}

interface FaultyGateway extends AsyncDisposable {
  readonly program: Program;
  readonly url: string;
  /** How the process ended; null while it lives. */
  readonly ended: Ending | null;
  /** How long it may take for an answer, and for its lines. One with a planted fault is given up sooner: it never holds. */
  readonly patienceMs: number;
  set(trouble: Trouble | null): void;
  /** Whether the trouble that was set last has met a write. */
  isMet(): boolean;
}

async function startWithFaults(course: OutputCourse, plant: string, file: string): Promise<FaultyGateway> {
  let number = 0;
  const set = (now: Trouble | null): void => {
    const [fault, descriptors] = now ?? ['none', 'both'];
    const state: OutputState = {
      number: number++,
      stdout: descriptors === 'stderr' ? 'none' : fault,
      stderr: descriptors === 'stdout' ? 'none' : fault,
      plant,
    };
    // The gateway may read it at any moment.
    writeFileSync(`${file}-next`, JSON.stringify(state));
    renameSync(`${file}-next`, file);
  };
  set(course.start);
  const port = await freePort();
  const preload = new URL(`output-fault.ts?${encodeURIComponent(file)}`, import.meta.url);
  const program = startProgram('src/main.ts', {
    PORT: String(port),
    WORKERS: String(course.workers),
    EXPLORER: 'false',
    UPSTREAM_BASE_URL: 'http://127.0.0.1:9/v2',
    NODE_OPTIONS: `--import=${preload.href}`,
  });
  let ended: Ending | null = null;
  void program.ending.then((ending) => (ended = ending));
  return {
    program,
    url: `http://127.0.0.1:${port}`,
    get ended() {
      return ended;
    },
    patienceMs: plant === 'none' ? patienceMs : patienceMs / 3,
    set,
    isMet: () => existsSync(`${file}-met`) && readFileSync(`${file}-met`, 'utf8') === String(number - 1),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** A port that the system does not give to others for a while; standard output cannot be asked for one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function judged(gateway: FaultyGateway, course: OutputCourse): Promise<readonly Fault[]> {
  const { program } = gateway;
  const lives = (): readonly Fault[] => [
    {
      promise: 'the gateway serves',
      detail: `${gateway.ended?.join(' ') ?? 'no answer'}: ${program.err.slice(0, 300)}`,
    },
  ];
  if (!(await holds(() => isServed(gateway), startPatienceMs))) return lives();
  let sent = 0;
  const load = async (): Promise<boolean> => {
    const served = await Promise.all(
      Array.from({ length: requestsOfTrouble }, (_, index) => isServed(gateway, '/nothing', `line-${sent + index}-`)),
    );
    sent += requestsOfTrouble;
    return served.every(Boolean);
  };
  for (const now of course.load) {
    gateway.set(now);
    let isServing = true;
    // Lines wait for others before they are written, and for longer after a failure.
    await holds(async () => !(isServing = await load()) || now[1] === 'stderr' || gateway.isMet());
    if (!isServing || !(await load())) return lives();
  }
  gateway.set(null);
  const faults: Fault[] = [];
  // One line is that of the start. Each request makes a line, and shows that writing is tried again.
  const before = linesIn(program.out).length;
  const isWritten = async (): Promise<boolean> => {
    await load();
    return linesIn(program.out).length > before;
  };
  if (!(await holds(isWritten))) faults.push({ promise: 'writing is tried again', detail: `${sent} lines later` });
  let lost = Number.NaN;
  /** What has been sent comes in a moment; a line that is lost is lost for good. */
  const isWhole = async (): Promise<boolean> => {
    lost = await linesLost(gateway);
    return linesIn(program.out).length + lost === sent + 1;
  };
  // A line that was written by half is completed when the next one comes.
  if (
    !(await holds(isWhole, gateway.patienceMs / 3)) &&
    !((await load()) && (await holds(isWhole, gateway.patienceMs)))
  )
    faults.push({
      promise: 'each line is written or counted',
      detail: `${linesIn(program.out).length} written, ${lost} lost, ${sent + 1} in all; behind them ${program.out.slice(program.out.lastIndexOf('\n'))}`,
    });
  faults.push(...faultsOfLines(program.out), ...faultsOfComplaint(program.err, course, lost));
  return [...faults, ...(await faultsOfStop(gateway, course))];
}

function faultsOfLines(out: string): readonly Fault[] {
  const torn = linesIn(out).find((line) => !isJson(line));
  return torn === undefined ? [] : [{ promise: 'each line of the log is whole', detail: torn.slice(0, 300) }];
}

function faultsOfComplaint(err: string, { start, load }: OutputCourse, lost: number): readonly Fault[] {
  const complaints = linesIn(err).filter((line) => line.startsWith('The log cannot be written'));
  const others = linesIn(err).filter((line) => !complaints.includes(line));
  const isHeard = [start, ...load].every((each) => each === null || each[1] === 'stdout');
  const promise = 'standard error says once that lines are lost';
  // What standard error takes of a line by half is no line.
  if (isHeard && others.length > 0) return [{ promise: 'standard error has nothing else', detail: err.slice(0, 300) }];
  if (complaints.length > 1) return [{ promise, detail: `${complaints.length} times` }];
  return isHeard && lost > 0 && complaints.length === 0 ? [{ promise, detail: 'not at all' }] : [];
}

async function faultsOfStop(gateway: FaultyGateway, { stop }: OutputCourse): Promise<readonly Fault[]> {
  const { program } = gateway;
  gateway.set(stop);
  await Promise.all(Array.from({ length: requestsOfTrouble }, () => isServed(gateway, '/nothing')));
  const stopped = performance.now();
  for (const signal of ['SIGTERM', 'SIGPIPE', 'SIGUSR1', 'SIGUSR2', 'SIGHUP', 'SIGINT'] as const) program.kill(signal);
  const hasEnded = await holds(async () => gateway.ended !== null, stopPatienceMs);
  const seconds = `${((performance.now() - stopped) / 1_000).toFixed(1)} s`;
  if (!hasEnded) return [{ promise: 'a signal ends the process in time', detail: `it is there after ${seconds}` }];
  // Nothing else ends a process of which the system holds a write.
  const isKilled = stop?.[0] === 'held' && gateway.ended?.[1] === 'SIGKILL';
  return gateway.ended?.[0] === 0 || isKilled
    ? []
    : [
        {
          promise: 'a stop ends with exit code 0',
          detail: `${gateway.ended?.join(' ')}: ${program.err.slice(0, 300)}`,
        },
      ];
}

async function isServed({ url, ended, patienceMs: ms }: FaultyGateway, path = '/health', id = 'any'): Promise<boolean> {
  if (ended !== null) return false;
  const signal = AbortSignal.timeout(ms);
  const status = await fetch(url + path, { signal, headers: { 'x-request-id': id } }).then(
    async (response) => (await response.text(), response.status),
    () => 0,
  );
  return status === (path === '/health' ? 200 : 404);
}

async function linesLost({ url }: FaultyGateway): Promise<number> {
  const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(patienceMs) }).then(
    (response) => response.text(),
    () => '',
  );
  return Number(/^switchboard_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
}

/** Asks again and again whether something holds by now. */
async function holds(isSo: () => Promise<boolean>, ms = patienceMs): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return true;
}

const linesIn = (text: string): readonly string[] => text.split('\n').slice(0, -1);

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
