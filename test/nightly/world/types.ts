/** The words that the simulated world's two halves share: its engine and its model. */

/** Chance, from one seed. */
export interface Random {
  next(): number;
  below(n: number): number;
  pick<T>(items: readonly T[]): T;
  chance(p: number): boolean;
}

/** The world's time, chance and record. */
export interface World {
  readonly random: Random;
  now(): number;
  after(ms: number, run: () => void): void;
  sleep(ms: number): Promise<void>;
  trace(line: string): void;
}

/** What the gateway asks of the simulated API. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the simulated API sends back, and when. */
export interface ApiReply {
  readonly afterMs: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly { readonly afterMs: number; readonly bytes: Buffer }[];
  readonly end: 'end' | 'reset' | 'never';
}

/** The simulated API: one question, one reply, or no connection, or no word at all. */
export type Api = (request: ApiRequest) => ApiReply | 'refuse' | 'silence';

/** What a client got. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ended: 'whole' | 'cut';
}

/** A client's question; `onChunk` sees a stream's bytes as they come, `signal` cuts it. */
export interface Question {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  onChunk?: (text: string) => void;
  signal?: AbortSignal;
}

/** A client's request to replica `n`. */
export interface Client {
  request(replica: number, question: Question): Promise<Answer>;
}

/** One step of a script: plain JSON, so that a failing run can be cut down and printed. */
export interface Step {
  readonly at: number;
  readonly kind: string;
  readonly [argument: string]: unknown;
}

/** A broken promise, and when: in a run by `World.now`, in what came of it since the world began. */
export interface Broken {
  readonly promise: string;
  readonly detail: string;
  readonly at: number;
}
