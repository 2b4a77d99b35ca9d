import { setImmediate as nextTurn } from 'node:timers/promises';
import { getOperationAST, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { Violation } from '../../../src/errors.ts';
import { CancelSource } from '../../../src/cancellation.ts';
import type { Context } from '../../../src/graphql/context.ts';
import { createExecutor, createSubscriber, type ExecutionPath } from '../../../src/graphql/execution/executor.ts';
import { WrittenData } from '../../../src/graphql/execution/written-data.ts';
import { KnownNodes } from '../../../src/graphql/identity/node-id.ts';
import { createGraphqlExecution, type GraphqlExecution } from '../../../src/http/graphql-execution.ts';
import type { Preparation, OperationContext } from '../../../src/http/rules/operation-run.ts';
import { graphqlRules } from '../../../src/http/rules/graphql-rules.ts';
import type { GraphqlRequest } from '../../../src/http/request/graphql-request.ts';
import { RequestRecord } from '../../../src/http/request/exchange.ts';
import { createLookUps } from '../../../src/lists/look-ups.ts';
import { createLoaders, type Loaders } from '../../../src/lists/loaders.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { createClient, type Client } from '../../../src/upstream/client.ts';
import { ReceivedBody } from '../../../src/upstream/response/received-body.ts';
import { callerOf } from '../../upstream/client-harness.ts';
import type { World } from './world.ts';

/** An operation with all that decides about its answer. */
export interface Question {
  readonly document: DocumentNode;
  readonly operationName?: string | null;
  readonly variables: Readonly<Record<string, unknown>> | null;
  readonly world: World;
  readonly exposeSecrets?: boolean;
  readonly lookUp?: 'list' | 'retrieve';
  /** Null where the caller has none. */
  readonly key?: null;
}

/** An answer as its client gets it, and what it took. */
export interface Told {
  /** To the byte; undefined where there is none. */
  readonly data: string | undefined;
  readonly errors: readonly string[];
  /** The upstream calls, sorted. */
  readonly calls: readonly string[];
  /** What was logged as the gateway's own fault. */
  readonly log: readonly string[];
  /** What of the upstream's contract was counted as broken, sorted. */
  readonly violations: readonly string[];
}

/** Who answered: a plan alone, graphql-js alone, or one after the other. */
export type Took = ExecutionPath | 'handed over';

/** Answers an operation from bytes, by its plan and by graphql-js, in process. */
export interface TwoWays {
  readonly written: (question: Question) => Promise<Told & { readonly took: Took }>;
  readonly compiled: (question: Question) => Promise<Told & { readonly took: Took }>;
  readonly general: (question: Question) => Promise<Told>;
}

/** Errors have no order of their own (GraphQL, section 7.1.2): where a plan hands over, those of the root may come later. */
export function inAnyOrder(told: Told): Told {
  return { ...told, errors: told.errors.toSorted() };
}

const scanPages = 5;
const turn = Promise.resolve();

/** A request of which a test needs nothing but its exchange. */
function createRequest(): GraphqlRequest {
  const exchange = {
    requestId: 'the-request',
    signal: new CancelSource(),
    record: new RequestRecord(),
    whenEnded: () => {},
    hideKey: (text: string): string => text,
  };
  // Nothing is sent here.
  const res = { headersSent: true };
  return { exchange, res, isCostAsked: false, lastEventId: null } as unknown as GraphqlRequest;
}

/**
 * The two ways over one schema: all of the gateway but HTTP, limits and the stages of calls. graphql-js reads every number
 * digit for digit, so that it tells as well whether a plan's answer needed that.
 */
export function createTwoWays(schema: GraphQLSchema): TwoWays {
  let way: ExecutionPath | undefined;
  const log: string[] = [];
  const violations: string[] = [];
  const contexts = new WeakMap<GraphqlRequest, (preparation: Preparation) => OperationContext>();
  const operationsOf = (isCompiling: boolean): GraphqlExecution =>
    createGraphqlExecution({
      rules: graphqlRules({
        schema,
        documentLimits: { tokens: 0, depth: 0, aliases: 0, rootFields: 0 },
        estimateCost: () => null,
        mostCost: Infinity,
        isIntrospectable: true,
        signupUrl: null,
        fieldUsage: null,
        countViolation: ({ coordinate, kind }) => void violations.push(`${coordinate} ${kind}`),
        log: createLog('error', { write: (line) => log.push(line) }),
      }),
      executor: createExecutor(schema, { isCompiling, count: (taken) => void (way = taken) }),
      subscriber: createSubscriber(schema),
      createContext: (request, preparation) => {
        const given = contexts.get(request)?.(preparation);
        if (given === undefined) throw new Error('The request is not of this test.');
        return given;
      },
    });
  const [compiling, plain] = [operationsOf(true), operationsOf(false)];

  async function ask(execution: GraphqlExecution, question: Question, takesWritten = false) {
    const wire: Wire = { calls: [], pending: 0 };
    const { document, operationName = null, variables } = question;
    const request = createRequest();
    let wasCopied = (): boolean => false;
    contexts.set(request, (preparation) => {
      const needsExactNumbers = (): boolean => execution === plain || preparation.needsExactNumbers;
      const caller = {
        ...callerOf('test-key'),
        key: question.key === null ? null : 'test-key',
        needsExactNumbers,
        noteViolation: ({ coordinate, kind }: Violation) => void violations.push(`${coordinate} ${kind}`),
      };
      const made = contextOf(question, createLoaders(clientOf(question.world, wire), caller));
      wasCopied = made.wasCopied;
      return { context: made.context, explainCalls: null, hints: [], release: () => {} };
    });
    const definition = getOperationAST(document, operationName) ?? null;
    const operation = { document, definition, operationName, variables, request, takesWritten };
    const run = execution.begin(operation);
    const { data, errors = [] } = execution.finish(await execution.execute(operation, run), run);
    // A field that failed early may still be asking for more: what was asked is compared when all of it has been answered.
    do await nextTurn();
    while (errors.length > 0 && wire.pending > 0);
    const told: Told = {
      data: textOf(data),
      errors: errors.map((error) => JSON.stringify(error)),
      calls: wire.calls.sort(),
      log: log.splice(0),
      violations: violations.splice(0).sort(),
    };
    // To write, a copy is made for each field of the root.
    const isHandedOver = !takesWritten && wasCopied();
    return { ...told, took: isHandedOver ? ('handed over' as const) : (way ?? 'general') };
  }

  return {
    written: (question) => ask(compiling, question, true),
    compiled: (question) => ask(compiling, question),
    general: async (question) => {
      const { took: _took, ...told } = await ask(plain, question);
      return told;
    },
  };
}

function textOf(data: unknown): string | undefined {
  if (data === undefined) return undefined;
  if (!(data instanceof WrittenData)) return JSON.stringify(data);
  return Buffer.concat(data.pieces.map((piece) => Buffer.from(piece as string, 'latin1'))).toString();
}

/** What has been asked of the upstream, and how much of it has not been answered yet. */
interface Wire {
  readonly calls: string[];
  pending: number;
}

function clientOf(world: World, wire: Wire): Client {
  const client = createClient(
    {
      async collect({ path }) {
        wire.calls.push(path);
        // Answers come in another order than they were asked for, but always in the same.
        for (let turns = (path.length * 7) % 11; turns > 0; turns--) await turn;
        const response = world.answer(path);
        const half = response.body.length >> 1;
        const chunks = [response.body.subarray(0, half), response.body.subarray(half)];
        return { ...response, body: new ReceivedBody(chunks) };
      },
      stream: () => Promise.reject(new Error('Nothing is streamed here.')),
      close: async () => {},
    },
    [],
  );
  return {
    async get(call, caller) {
      wire.pending++;
      try {
        return await client.get(call, caller);
      } finally {
        wire.pending--;
      }
    },
    async fetch(call, caller) {
      wire.pending++;
      try {
        if (client.fetch === undefined) throw new Error('The client reads every answer.');
        return await client.fetch(call, caller);
      } finally {
        wire.pending--;
      }
    },
    stream: (call, caller) => client.stream(call, caller),
  };
}

/** A context, and whether the executor has made a copy of it: it does so where it hands over to graphql-js. */
function contextOf({ exposeSecrets = false, lookUp = 'list' }: Question, loaders: Loaders) {
  let isCopied = false;
  const costs: ReturnType<Context['costs']> = new WeakMap();
  const own: Context = {
    loaders,
    lookUps: createLookUps(loaders, { scanPages, lookUp }),
    knownNodes: new KnownNodes(),
    costs: () => costs,
    noteHint: () => {},
    followDeliveries: () => Promise.reject(new Error('Nothing is followed here.')),
    exposeSecrets,
    scanPages,
    now: Date.now,
  };
  const context = Object.defineProperty({ ...own }, 'copied', { enumerable: true, get: () => (isCopied = true) });
  return { context, wasCopied: () => isCopied };
}
