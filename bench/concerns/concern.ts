/** What the time of a request goes to, in the order of the table. */
export const concerns = [
  'kernel',
  'HTTP parser, libuv and the like',
  'http and streams of node, in JS',
  'undici',
  'JSON and transcoder',
  'plan and stringify',
  'cursors and lists',
  'router, exchange, deadlines',
  'single flight, stages, client',
  'microtasks and timers',
  'log',
  'cost and coercion',
  'metrics and traces',
  'garbage collection and compilation',
  'other',
] as const;

/** One of these. */
export type Concern = (typeof concerns)[number];

// By the file of a function, below the project's root or as Node names its own; the first that matches counts.
const files: readonly (readonly [RegExp, Concern])[] = [
  [/^node:internal\/(?:timers|process\/|async_|promise)|^node:(?:timers|async_hooks)/, 'microtasks and timers'],
  [/^node:internal\/deps\/undici/, 'undici'],
  [/^node:/, 'http and streams of node, in JS'],
  [/node_modules\/undici\//, 'undici'],
  [/node_modules\/(?:pino|sonic-boom)/, 'log'],
  [/node_modules\/(?:prom-client|@opentelemetry)/, 'metrics and traces'],
  [/node_modules\/graphql\/execution\/values|node_modules\/graphql\/utilities\//, 'cost and coercion'],
  [/node_modules\/graphql\//, 'plan and stringify'],
  [/^src\/telemetry\/(?:log|request-line)|^src\/http\/request\/client-name/, 'log'],
  [/^src\/telemetry\//, 'metrics and traces'],
  [/^src\/limits\/|^src\/http\/rules\/(?:cost|variables)|^src\/graphql\/document\//, 'cost and coercion'],
  [/^src\/graphql\/execution\/(?:variable-values|stream-arguments)|^src\/graphql\/schema\/arg/, 'cost and coercion'],
  [/^src\/transcoder\/|^src\/graphql\/execution\/(?:bytes\/|answer-buffers)/, 'JSON and transcoder'],
  [/^src\/(?:json\.ts|upstream\/response\/)/, 'JSON and transcoder'],
  [/^src\/graphql\//, 'plan and stringify'],
  [/^src\/(?:paging|lists|live)\//, 'cursors and lists'],
  [/^src\/(?:upstream|fleet)\//, 'single flight, stages, client'],
  [
    /^(?:src\/|bench\/floor)|node_modules\/(?:graphql-yoga|@whatwg-node|lru-cache|negotiator)/,
    'router, exchange, deadlines',
  ],
];

/** The concern of a file; null where it has none. */
export function concernOfFile(file: string): Concern | null {
  return files.find(([pattern]) => pattern.test(file))?.[1] ?? null;
}

// Functions of V8 and Node that are written in C++ and have no file. The first are system calls, and whatever is no function.
const natives: readonly (readonly [RegExp, Concern])[] = [
  [/^\(program\)$|^(?:write|writev|shutdown|readStart|readStop|close|listen|consume|unconsume|execute)/, 'kernel'],
  [/^\(garbage collector\)$/, 'garbage collection and compilation'],
  [/^(?:parse|stringify|rawJSON)$/, 'JSON and transcoder'],
  [/^(?:runMicrotasks|scheduleTimer|toggleTimerRef|setImmediate|enqueueMicrotask)$/, 'microtasks and timers'],
];

/** The concern of a function without a file; null where it is its caller's. */
export function concernOfNative(name: string): Concern | null {
  return natives.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
