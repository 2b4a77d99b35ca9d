import type { Answer, Api, Broken, Client, Question, Step, World } from '../types.ts';
import { Account, accountsIn, type AccountPlan } from './account.ts';
import { createApi, type ApiCall } from './api.ts';
import { Canary } from './canary.ts';
import { FaultLog } from './fault.ts';
import type { ModelSettings } from './settings.ts';
import { CallLog } from './calls.ts';
import { TroubleLog } from './trouble.ts';
import { judgeErrors, type GraphqlError } from './judge.ts';

/** One GraphQL request of an account. */
export interface Asked {
  readonly account: Account;
  readonly replica: number;
  readonly document: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Cuts the request. */
  readonly signal?: AbortSignal;
  /** Codes that the question itself deserves. */
  readonly codes?: readonly string[];
}

/** A response, and the span in which everything that it shows was so. */
export interface Reply {
  readonly from: number;
  readonly to: number;
  // A judge reads results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
  readonly errors: readonly GraphqlError[];
  readonly requestId: string;
  /** Calls that this request caused. */
  readonly calls: readonly ApiCall[];
}

interface PlannedAccount {
  readonly number: number;
  readonly plan: AccountPlan;
}

// What is 0 when nobody asks for anything.
const atRest = new Set([
  'switchboard_streams',
  'switchboard_polled_lists',
  'switchboard_websockets',
  'switchboard_upstream_calls_in_flight',
  'switchboard_upstream_calls_queued',
]);

// How long an answer may take on the wire besides its operation.
const wireMs = 2_500;

// What a caller may wait for others.
const shareMs = 1_000;

/** Everything around the gateway that the judge knows: accounts, faults, calls, and the promises that were broken. */
export class Model {
  readonly world: World;
  readonly settings: ModelSettings;
  readonly accounts: readonly Account[];
  readonly faults = new FaultLog();
  readonly troubles: TroubleLog;
  readonly calls: CallLog;
  readonly canary = new Canary();
  readonly broken: Broken[] = [];
  /** How often what was seen, to look at. */
  readonly tally = new Map<string, number>();
  readonly api: Api;
  /** When every question must have been answered. */
  readonly endsAt: number;
  readonly #holds: { readonly caller: number; readonly ms: number; readonly to: number }[] = [];
  /** Who has asked for much at once, and until when. */
  readonly #greedy: { readonly caller: number; readonly from: number; to: number }[] = [];
  #asked = 0;

  constructor(world: World, script: readonly Step[], settings: ModelSettings) {
    this.world = world;
    this.settings = settings;
    this.troubles = new TroubleLog(settings.replicas);
    const plans = script.filter(({ kind }) => kind === 'account') as unknown as readonly PlannedAccount[];
    this.accounts = plans.map(({ number, plan }) => new Account(number, plan, world.random, world.now()));
    for (const { secrets, number } of this.accounts)
      for (const [index, secret] of secrets.entries())
        this.canary.add(secret, `${['key', 'token', 'credential'][index]} of ${number}`);
    this.endsAt = world.now() + 500_000 + script.reduce((last, { at }) => Math.max(last, at), 0);
    this.calls = new CallLog({
      settings,
      breach: (promise, detail) => this.breach(promise, detail),
      isRevoked: (caller) => this.accountAt(caller)?.keyState.is === 'revoked',
    });
    const byKey = new Map(this.accounts.map((account) => [account.key, account]));
    this.api = createApi({
      world,
      accountOf: (key) => byKey.get(key ?? '') ?? null,
      faults: this.faults,
      note: (call) => {
        this.calls.note(call);
        this.count(`call ${call.fault ?? 'whole'}`);
        world.trace(`api ${call.path}?${call.query} caller=${call.caller} ${call.fault ?? 'whole'}`);
      },
      breach: (promise, detail) => this.breach(promise, detail),
      heldMs: (caller = -1) =>
        Math.max(0, ...this.#holds.map((hold) => (hold.caller === caller && hold.to > world.now() ? hold.ms : 0))),
    });
  }

  /** The account of a number; none where the script has been cut. */
  accountAt(number: number): Account | undefined {
    return this.accounts.find((account) => account.number === number);
  }

  /** The account whose caller takes a step. */
  account({ caller }: Step): Account | undefined {
    return this.accountAt(Number(caller));
  }

  /** Notes a broken promise. */
  breach(promise: string, detail: string): void {
    this.broken.push({ promise, detail: detail.slice(0, 2_000), at: this.world.now() });
  }

  count(name: string): void {
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  /** Has the calls of a caller take longer for a while, though nothing is wrong with them. */
  hold(caller: number, ms: number, forMs: number): void {
    this.#holds.push({ caller, ms, to: this.world.now() + forMs });
  }

  /** Tells that a caller asks for much at once, until the result is called. */
  beGreedy(caller: number): () => void {
    const span = { caller, from: this.world.now(), to: Infinity };
    this.#greedy.push(span);
    return () => {
      span.to = this.world.now() + 10_000;
    };
  }

  /** A call that brings nothing ends by its own time-out. */
  #judgeTime(begun: number, { to, calls }: Reply, replica: number, document: string): void {
    const [only] = calls;
    if (calls.length !== 1 || only === undefined || this.troubles.isTroubled(replica, begun, to)) return;
    const { upstreamTimeoutMs, stallTimeoutMs } = this.settings;
    const most =
      only.fault === 'silence'
        ? upstreamTimeoutMs
        : only.fault === 'stall'
          ? Math.min(upstreamTimeoutMs, stallTimeoutMs + 2_000)
          : Infinity;
    if (to - only.at > most + shareMs)
      this.breach('every wait ends', `${to - only.at} ms for ${only.fault}: ${document}`);
  }

  /** What is kept for a caller is not shown any longer once the API has refused its key. */
  #judgeKept(
    begun: number,
    { data, calls }: Reply,
    { number, keyState }: Account,
    replica: number,
    document: string,
  ): void {
    if (
      keyState.is !== 'revoked' ||
      this.calls.refusedAt(number, replica) < keyState.since ||
      this.calls.refusedAt(number, replica) > begun ||
      calls.some(({ fault }) => fault === null)
    )
      return;
    if (showsAnything(data)) this.breach('a key that the API refuses gets nothing that is kept', document);
  }

  /** Whether a replica does not know a caller's key yet, while others ask for much, whose keys it may not know either. */
  isUnknownInFlood(caller: number, replica: number, from: number, to: number): boolean {
    const accepted = this.calls.acceptedAt(caller, replica);
    const isKnown = accepted < from && accepted > this.troubles.begunAt(replica, from);
    return !isKnown && this.#greedy.some((span) => span.from <= to && span.to >= from);
  }

  /** Whether a caller asked for much at once within a span. */
  isGreedy(caller: number, from: number, to: number): boolean {
    return this.#greedy.some((span) => span.caller === caller && span.from <= to && span.to >= from);
  }

  /** Names a request, so that its calls can be told. */
  nextId(): string {
    return `world-${this.#asked++}`;
  }

  /** Asks, and judges what holds for every answer; null where there is none, and need not be. */
  async ask(client: Client, asked: Asked): Promise<Reply | null> {
    const { account, replica, document, variables, signal, codes = [] } = asked;
    const requestId = this.nextId();
    const body = JSON.stringify({ query: document, ...(variables && { variables }) });
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${account.key}`,
      'x-request-id': requestId,
      'x-cost': '1',
    };
    this.calls.expect(requestId, replica);
    const begun = this.world.now();
    const answer = await this.send(
      client,
      replica,
      { method: 'POST', path: '/graphql', headers, body, ...(signal && { signal }) },
      account,
    );
    if (answer === null) return null;
    const told = this.parse(answer.body, document);
    if (told === null) return null;
    const { data = null, errors = [], extensions } = told;
    const reply = {
      from: this.calls.since(account.number, begun),
      to: this.world.now(),
      data,
      errors,
      requestId,
      calls: this.calls.of(requestId),
    };
    judgeErrors(this, reply, { account, replica, document, codes });
    this.#judgeCost(reply, extensions, asked);
    this.#judgeWait(begun, reply, account, replica, document);
    this.#judgeTime(begun, reply, replica, document);
    this.#judgeKept(begun, reply, account, replica, document);
    return reply;
  }

  /** Judges a gateway by its own metrics when nothing is asked of it any longer. */
  judgeMetrics(text: string): void {
    this.judgeSecrets(text, 'the metrics');
    for (const [, name, labels = '', value] of text.matchAll(/^(switchboard_\w+)(\{.*\})? (\S+)$/gm)) {
      const isLevel = name !== undefined && atRest.has(name);
      if (isLevel && Number(value) !== 0) this.breach('what was taken is given back', `${name}${labels} is ${value}`);
      if (name === 'switchboard_unhandled_total' && Number(value) > 0)
        this.breach('no failure is unhandled', `${value}`);
    }
  }

  parse(
    body: string,
    document: string,
  ): {
    data?: unknown;
    errors?: readonly GraphqlError[];
    extensions?: { cost?: { estimated: number; upstreamCalls: number } };
  } | null {
    try {
      return JSON.parse(body);
    } catch {
      this.breach('a whole answer is JSON', `${document} ${body.slice(0, 300)}`);
      return null;
    }
  }

  /** Sends a request, and judges time, foreign rows and secrets; null where it was cut, and may have been. */
  async send(
    client: Client,
    replica: number,
    question: Question,
    account: Account | null,
    mayBeCut = false,
  ): Promise<Answer | null> {
    const begun = this.world.now();
    const isExcused = (): boolean =>
      question.signal?.aborted === true ||
      this.troubles.mayBeCut(replica, begun, this.world.now(), question.onChunk !== undefined);
    const isLate = (): boolean => this.troubles.isTroubled(replica, begun, this.world.now());
    let answer: Answer;
    try {
      answer = await client.request(replica % this.settings.replicas, question);
    } catch (error) {
      if (!isExcused())
        this.breach('every request is answered', `replica ${replica}: ${question.path} ${String(error)}`);
      return null;
    }
    const took = this.world.now() - begun;
    const isStream = question.onChunk !== undefined;
    if (!isStream && took > this.settings.operationTimeoutMs + wireMs && !isLate())
      this.breach('every request ends by its deadline', `${took} ms: ${question.body ?? question.path}`);
    this.judgeText(answer.body, `the answer to ${question.body ?? question.path}`, account);
    this.judgeText(JSON.stringify(answer.headers), `the headers of the answer to ${question.path}`, account);
    if (answer.ended === 'cut') {
      if (mayBeCut) return answer;
      if (!isExcused())
        this.breach('no answer is cut', `${question.path} ${question.body ?? ''} ${answer.body.slice(-200)}`);
      return null;
    }
    return answer;
  }

  /** Sends a request whose answer may be cut, as the API's own was. */
  async sendDownload(client: Client, replica: number, question: Question, account: Account): Promise<Answer | null> {
    const begun = this.world.now();
    const answer = await this.send(client, replica, question, account, true);
    if (answer?.ended !== 'cut') return answer;
    const met = this.faults.countFor(account.number, begun - 1, this.world.now());
    if (
      met === 0 &&
      this.troubles.codesOfTroubles(replica, begun, this.world.now()).length === 0 &&
      !this.troubles.mayBeCut(replica, begun, this.world.now(), false)
    )
      this.breach('no answer is cut', question.path);
    return null;
  }

  /** No text that a client gets has rows of another account, or a secret. */
  judgeText(text: string, where: string, account: Account | null): void {
    for (const number of accountsIn(text))
      if (number !== account?.number && !where.includes(`foreign ${number}`))
        this.breach('callers never meet', `rows of ${number} in ${where}`);
    const isIts = (name: string): boolean =>
      this.settings.exposesSecrets &&
      account !== null &&
      !name.startsWith('key') &&
      name.endsWith(` of ${account.number}`);
    this.judgeSecrets(text, where, isIts);
  }

  /** No log line, metric, trace or store has a secret. */
  judgeSecrets(text: string, where: string, isIgnored?: (name: string) => boolean): void {
    for (const found of this.canary.find(text, isIgnored))
      this.breach('no key or secret is shown', `${found} in ${where.slice(0, 300)}`);
  }

  /** An answer takes as long as its caller's own calls take, and hardly longer. */
  #judgeWait(begun: number, { to, errors }: Reply, { number }: Account, replica: number, document: string): void {
    const isOwnFault =
      this.faults.countFor(number, begun - 60_000, to) > 0 || this.troubles.isTroubled(replica, begun, to);
    if (
      isOwnFault ||
      this.isGreedy(number, begun, to) ||
      this.isUnknownInFlood(number, replica, begun, to) ||
      this.settings.hasFewSlots ||
      errors.length > 0
    )
      return;
    const own = this.calls.during(number, begun, to);
    const most = own.reduce((sum, { at, until }) => sum + until - at, 0);
    if (to - begun > most + shareMs)
      this.breach(
        'no caller waits for another beyond its share',
        `${to - begun} ms, its calls take ${most} ms: ${document}`,
      );
  }

  #judgeCost(
    reply: Reply,
    extensions: { cost?: { estimated: number; upstreamCalls: number } } | undefined,
    { account, document, variables = {} }: Asked,
  ): void {
    const cost = extensions?.cost;
    if (cost === undefined) return;
    const { from, to, calls } = reply;
    // A failed call may be made twice more, a list that moves is read again, and a page of a list that is clamped may take a call a row.
    const failed = calls.filter(({ fault }) => fault !== null).length;
    const isStill = Object.values(account.lists).every((list) => list.between(from, to).length === 1);
    const isHonest = Object.values(account.manners).every(
      ({ clamp, lie, meta }) => clamp === null && lie === 'none' && meta === 'whole',
    );
    const rows = Math.max(rowsIn(reply.data), Number(variables['first'] ?? 0), Number(variables['last'] ?? 0));
    const more = isStill && isHonest ? 0 : 5 * (this.settings.scanPages + 3) + rows;
    const most = cost.estimated + failed + more;
    if (calls.length > most)
      this.breach(
        'no query makes more calls than estimated',
        `${calls.length} calls, estimated ${cost.estimated}: ${document}`,
      );
  }
}

/** Whether an answer has anything but null. */
function showsAnything(data: unknown): boolean {
  if (Array.isArray(data)) return data.some(showsAnything);
  if (typeof data === 'object' && data !== null)
    return Object.entries(data).some(([name, value]) => name !== '__typename' && showsAnything(value));
  return data !== null && data !== undefined;
}

/** How many rows an answer has in its lists. */
function rowsIn(data: unknown): number {
  if (Array.isArray(data)) return data.reduce((sum: number, each) => sum + rowsIn(each), data.length);
  if (typeof data !== 'object' || data === null) return 0;
  return Object.values(data).reduce((sum: number, each) => sum + rowsIn(each), 0);
}
