/** Figures of one query and contender, as bench/results/latest.json has them. */
export interface MeasuredLoad {
  readonly query: string;
  readonly contender: string;
  readonly answerBytes: number;
  readonly cpuMicrosPerRequest: { readonly median: number };
  readonly requestsPerSecond: { readonly median: number };
  readonly upstreamCallsPerRequest: { readonly median: number };
  readonly idleMebibytes: number;
  readonly peakMebibytes: number;
  /** How busy the core of load and upstream was. */
  readonly loadCore: number;
}

/** Figures of live deliveries, as bench/results/streams.json has them. */
export interface MeasuredStreams {
  readonly kibibytesPerStream: number;
  readonly cpuMicrosPerStreamSecond: number;
  readonly cpuMicrosPerEvent: number;
}

/** What no benchmark can know. */
export const assumptions = {
  /** The part of all requests that each query is. */
  mix: { q1: 0.4, q2: 0.02, q3: 0.13, q4: 0.4, q6: 0.05 } as Readonly<Record<string, number>>,
  /** How busy a core may be, so that peaks do not queue. */
  utilization: 0.6,
  /** How long the API takes for a call, in seconds. */
  apiSeconds: 0.1,
  /** UPSTREAM_MAX_CONCURRENCY of a process. */
  callsOfProcess: 128,
  /** Cores of a machine, and so workers of a process. */
  coresOfMachine: 8,
  streamsOfList: 20,
  pollSeconds: 2,
  /** Seconds between two deliveries of a list. */
  deliverySeconds: 60,
  /** The part of all requests that ask for a charges breakdown that no process has kept. */
  reportPart: 0.01,
} as const;

/** One request of the mix. */
export interface Request {
  readonly cpuMicros: number;
  readonly calls: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** The mean request of the mix. */
export function meanRequest(load: readonly MeasuredLoad[]): Request {
  const mean = (pick: (name: string) => number): number =>
    Object.entries(assumptions.mix).reduce((sum, [query, part]) => sum + part * pick(query), 0);
  const of = (query: string, contender: string): MeasuredLoad => {
    const found = load.find((one) => one.query === query && one.contender === contender);
    if (found === undefined) throw new Error(`bench/results/latest.json has no ${query} of ${contender}.`);
    return found;
  };
  return {
    cpuMicros: mean((query) => of(query, 'switchboard').cpuMicrosPerRequest.median),
    calls: mean((query) => of(query, 'switchboard').upstreamCallsPerRequest.median),
    // The floor hands on what the API has sent.
    bytesIn: mean((query) => of(query, 'floor').answerBytes),
    bytesOut: mean((query) => of(query, 'switchboard').answerBytes),
  };
}

/** What so many requests a second take. */
export interface Need {
  readonly cores: number;
  readonly processes: number;
  readonly gibibytes: number;
  readonly calls: number;
  readonly slots: number;
  readonly gigabitsIn: number;
  readonly gigabitsOut: number;
  readonly redisCommands: number;
}

/** The memory of a process of so many workers: the most that any query took, and for each further worker as much again. */
function memoryOf(load: readonly MeasuredLoad[], workers: number): number {
  const peaks = load.filter(({ contender }) => contender === 'switchboard').map(({ peakMebibytes }) => peakMebibytes);
  return (Math.max(...peaks) * workers) / 1_024;
}

export function needOfRequests(load: readonly MeasuredLoad[], perSecond: number): Need {
  const { utilization, apiSeconds, callsOfProcess, coresOfMachine, reportPart } = assumptions;
  const { cpuMicros, calls, bytesIn, bytesOut } = meanRequest(load);
  const cores = Math.max(1, Math.ceil((perSecond * cpuMicros) / 1e6 / utilization));
  const slots = perSecond * calls * apiSeconds;
  const processes = Math.max(1, Math.ceil(cores / coresOfMachine), Math.ceil(slots / callsOfProcess));
  const workers = Math.ceil(cores / processes);
  return {
    cores,
    processes,
    gibibytes: processes * memoryOf(load, workers),
    calls: perSecond * calls,
    slots,
    gigabitsIn: (perSecond * bytesIn * 8) / 1e9,
    gigabitsOut: (perSecond * bytesOut * 8) / 1e9,
    // A report that is kept nowhere is looked for, and put away.
    redisCommands: perSecond * reportPart * 2,
  };
}

export function needOfStreams(load: readonly MeasuredLoad[], streams: MeasuredStreams, count: number): Need {
  const { utilization, apiSeconds, coresOfMachine, streamsOfList, pollSeconds, deliverySeconds } = assumptions;
  const lists = count / streamsOfList;
  const pollMicros = meanPoll(load);
  const micros =
    count * streams.cpuMicrosPerStreamSecond +
    (count / deliverySeconds) * streams.cpuMicrosPerEvent +
    (lists / pollSeconds) * pollMicros;
  const cores = Math.max(1, Math.ceil(micros / 1e6 / utilization));
  const calls = lists / pollSeconds;
  const processes = Math.max(
    1,
    Math.ceil(cores / coresOfMachine),
    Math.ceil((calls * apiSeconds) / assumptions.callsOfProcess),
  );
  return {
    cores,
    processes,
    gibibytes:
      (count * streams.kibibytesPerStream) / 1_048_576 + processes * memoryOf(load, Math.ceil(cores / processes)),
    calls,
    slots: calls * apiSeconds,
    gigabitsIn: 0,
    gigabitsOut: 0,
    redisCommands: (lists / pollSeconds) * 2,
  };
}

/** A poll reads a page of deliveries, which is less than the fifty of q3. */
function meanPoll(load: readonly MeasuredLoad[]): number {
  return (
    load.find(({ query, contender }) => query === 'q3' && contender === 'switchboard')?.cpuMicrosPerRequest.median ?? 0
  );
}

/**
 * Requests a second on two cores that load and upstream share with the gateway, by the figures of one core each: the CPU of both
 * sides is all that there is.
 */
export function predictTwoCores({ cpuMicrosPerRequest, requestsPerSecond, loadCore }: MeasuredLoad): number {
  const loadMicros = (loadCore * 1e6) / requestsPerSecond.median;
  return 2e6 / (cpuMicrosPerRequest.median + loadMicros);
}
