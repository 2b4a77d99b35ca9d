import { Canary } from './canary.ts';
import { settingOf, type Setup } from '../engine/settings.ts';
import type { Answer, Api, Broken, Client, Question, Step, World } from '../types.ts';
import { Account, accountsIn, type AccountPlan } from './account.ts';
import { createApi, type ApiCall } from './api.ts';
import { CallLog } from './calls.ts';
import { causesErrors, Disturbances } from './disturbances.ts';
import { FaultLog } from './fault.ts';

/** One GraphQL request of an account. */
export interface Asked {
  readonly account: Account;
  readonly replica: number;
  readonly document: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** An error as a client reads it. */
export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string };
}

/** A response, and the span in which everything that it shows was so. */
export interface Reply {
  readonly from: number;
  readonly to: number;
  // A judge reads results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
  readonly errors: readonly GraphqlError[];
  /** Calls that this request caused. */
  readonly calls: readonly ApiCall[];
}

interface Result {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlError[];
  readonly extensions?: { readonly cost?: { readonly estimated: number } };
}

const catalogue =
  /^(?:BAD_USER_INPUT|UNAUTHENTICATED|FORBIDDEN|NOT_FOUND|UNPROCESSABLE_ENTITY|RATE_LIMITED|QUERY_TOO_COMPLEX|UPSTREAM_(?:ERROR|TIMEOUT|UNAVAILABLE|BAD_RESPONSE))$/;

// What is 0 when nobody asks for anything.
const atRest = /^switchboard_(?:streams|polled_lists|websockets|upstream_calls_in_flight|upstream_calls_queued)$/;

// With so many pages every list of the world can be searched to its end.
const enoughPages = 20;

// How long an answer may take on the wire besides its operation.
const wireMs = 2_500;

/** Everything around the gateway that the judge knows: accounts, faults, calls, and the promises that were broken. */
export class Model {
  readonly world: World;
  readonly setup: Setup;
  readonly accounts: readonly Account[];
  readonly faults = new FaultLog();
  readonly disturbances = new Disturbances();
  readonly calls: CallLog;
  readonly broken: Broken[] = [];
  /** How often what was seen, to look at. */
  readonly tally = new Map<string, number>();
  readonly api: Api;
  /** When every question must have been answered. */
  readonly endsAt: number;
  /** Whether the machine's clock jumps in this world. */
  readonly hasJumps: boolean;
  readonly #canary = new Canary();
  /** Whether anything goes wrong in this world. */
  readonly #isFaulty: boolean;
  #asked = 0;

  constructor(world: World, script: readonly Step[], setup: Setup) {
    this.world = world;
    this.setup = setup;
    const plans = script.filter(({ kind }) => kind === 'account') as unknown as { number: number; plan: AccountPlan }[];
    this.accounts = plans.map(({ number, plan }) => new Account(number, plan, world.random, world.now()));
    for (const { secrets, number } of this.accounts)
      for (const [index, secret] of secrets.entries())
        this.#canary.add(secret, `${['key', 'token', 'credential'][index]} of ${number}`);
    this.endsAt = world.now() + 500_000 + script.reduce((last, { at }) => Math.max(last, at), 0);
    this.hasJumps = script.some(({ kind }) => kind === 'clock.jump');
    this.#isFaulty = script.some(({ kind }) => causesErrors(kind));
    // A replica that begins anew knows of no limit.
    const isRestarted = script.some(({ kind }) => kind.startsWith('replica.'));
    this.calls = new CallLog((promise, detail) => isRestarted || this.breach(promise, detail));
    const byKey = new Map(this.accounts.map((account) => [account.key, account]));
    this.api = createApi({
      world,
      accountOf: (key) => byKey.get(key ?? '') ?? null,
      faults: this.faults,
      note: (call) => {
        this.calls.note(call);
        this.count(call.isWhole ? 'call whole' : 'call failed');
      },
      breach: (promise, detail) => this.breach(promise, detail),
    });
  }

  /** A setting of the gateways. */
  setting(name: Parameters<typeof settingOf>[1]): number {
    return settingOf(this.setup, name);
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
    this.world.trace(`broken: ${promise}`);
  }

  count(name: string): void {
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  /** Names a request, so that its calls can be told. */
  nextId(): string {
    return `world-${this.#asked++}`;
  }

  /** Asks, and judges what holds for every answer; null where there is none, and need not be. */
  async ask(client: Client, { account, replica, document, variables }: Asked): Promise<Reply | null> {
    const requestId = this.nextId();
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${account.key}`,
      'x-request-id': requestId,
      'x-cost': '1',
    };
    const body = JSON.stringify({ query: document, ...(variables && { variables }) });
    this.calls.expect(requestId, this.servedBy(replica));
    const begun = this.world.now();
    const answer = await this.send(client, replica, { method: 'POST', path: '/graphql', headers, body }, account);
    const result = answer === null ? null : this.parse(answer.body, document);
    if (result === null) return null;
    const { data = null, errors = [], extensions } = result;
    const from = this.calls.since(account.number, begun);
    const reply: Reply = { from, to: this.world.now(), data, errors, calls: this.calls.of(requestId) };
    for (const error of errors) this.judgeError(error, document, data);
    if (data === null && errors.length === 0) this.breach('an answer has data or errors', document);
    if (this.#isCalm(account, reply)) {
      if (errors.length > 0)
        this.breach('where nothing is wrong, nothing fails', `${JSON.stringify(errors[0])}: ${document}`);
      const estimated = extensions?.cost?.estimated ?? Infinity;
      if (reply.calls.length > estimated)
        this.breach('no query makes more calls than estimated', `${reply.calls.length} of ${estimated}: ${document}`);
    }
    return reply;
  }

  /** Whether nothing is a reason for an error: the API fails nowhere, and the lists are told as they are, and stand still. */
  #isCalm({ lists, manners }: Account, { from, to }: Reply): boolean {
    return (
      !this.#isFaulty &&
      this.setting('UPSTREAM_SCAN_PAGES') >= enoughPages &&
      Object.values(manners).every(({ clamp, lie, meta }) => clamp === null && lie === 'none' && meta === 'whole') &&
      Object.values(lists).every((list) => list.between(from, to).length === 1)
    );
  }

  /** Every error is one of the catalogue, at a path that is null. */
  judgeError({ message, path, extensions }: GraphqlError, what: string, data: unknown = null): void {
    const code = extensions?.code ?? 'none';
    this.count(`error ${code}`);
    if (!catalogue.test(code)) this.breach('every error is one of the catalogue', `${code} ${message}: ${what}`);
    let value = data;
    for (const name of path ?? []) value = (value as Readonly<Record<string | number, unknown>> | null)?.[name] ?? null;
    if (path !== undefined && value !== null)
      this.breach('an error stands where the value is null', `${path.join('.')}: ${what}`);
  }

  /** Judges a gateway by its own metrics when nothing is asked of it any longer. */
  judgeMetrics(text: string): void {
    this.judgeSecrets(text, 'the metrics');
    for (const [, name = '', labels = '', value] of text.matchAll(/^(switchboard_\w+)(\{.*\})? (\S+)$/gm)) {
      if (atRest.test(name) && Number(value) !== 0)
        this.breach('what was taken is given back', `${name}${labels} is ${value}`);
      if (name === 'switchboard_unhandled_total' && Number(value) > 0)
        this.breach('no failure is unhandled', `${value}`);
    }
  }

  parse(body: string, what: string): Result | null {
    try {
      return JSON.parse(body) as Result;
    } catch {
      this.breach('a whole answer is JSON', `${what} ${body.slice(0, 300)}`);
      return null;
    }
  }

  /** The replica that answers what is asked of another one where there is no other. */
  servedBy(replica: number): number {
    return replica % this.setup.replicas;
  }

  /** Sends a request, and judges time, foreign rows and secrets; null where it was cut, and may have been. */
  async send(client: Client, replica: number, question: Question, account: Account): Promise<Answer | null> {
    const { path, body = path, signal, onChunk } = question;
    const begun = this.world.now();
    const answer = await client.request(this.servedBy(replica), question);
    const took = this.world.now() - begun;
    const isDisturbed =
      signal?.aborted === true || this.disturbances.has(this.servedBy(replica), begun, this.world.now());
    const isLate = onChunk === undefined && took > this.setting('OPERATION_TIMEOUT_MS') + wireMs;
    if (isLate && !isDisturbed) this.breach('every request ends by its deadline', `${took} ms: ${body}`);
    this.judgeText(answer.body, `the answer to ${body}`, account);
    this.judgeText(JSON.stringify(answer.headers), `the headers of the answer to ${path}`, account);
    if (answer.ended === 'whole') return answer;
    if (!isDisturbed) this.breach('no answer is cut', `${body} ${answer.body.slice(-200)}`);
    return null;
  }

  /** No text that a client gets has rows of another account, or a secret. */
  judgeText(text: string, where: string, account: Account): void {
    for (const number of accountsIn(text))
      if (number !== account.number) this.breach('callers never meet', `rows of ${number} in ${where}`);
    this.judgeSecrets(text, where);
  }

  /** No answer, log line, metric or store has a secret. */
  judgeSecrets(text: string, where: string): void {
    for (const found of this.#canary.find(text))
      this.breach('no key or secret is shown', `${found} in ${where.slice(0, 300)}`);
  }
}
