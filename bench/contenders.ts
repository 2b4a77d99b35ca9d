import { readFileSync } from 'node:fs';
import type { Asked } from './client.ts';
import { wireDocument, type BenchQuery } from './queries.ts';
import { findTailcall } from './tailcall/tailcall.ts';
import { renameWire } from './wire/rename.ts';

/** A server that is measured. */
export interface Contender {
  readonly name: string;
  readonly title: string;
  /** Its program in Node, from the project's root, with options of Node before it. */
  readonly args: readonly string[];
  /** Settings of its own; absent: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another program than Node, before an API at this address; null where it cannot run on this machine. */
  readonly prepare?: (baseUrl: string) => { readonly command: readonly string[]; readonly port: number } | null;
  /** Where it says that it takes requests; absent: as soon as it listens. */
  readonly readiness?: string;
  /** Null: it has no such fields. */
  asks(query: BenchQuery): Asked | null;
  /** The data of an answer under the names of Switchboard's schema; null: it does not speak GraphQL. */
  readonly rename: ((data: unknown) => unknown) | null;
}

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: { readonly start: string };
};
const startOptions = scripts.start.split(' ').filter((word) => word.startsWith('--'));

function asked(document: string, { variables }: BenchQuery): Asked {
  return { path: '/graphql', body: JSON.stringify({ query: document, variables }) };
}

function graphql(name: string, title: string, ...args: readonly string[]): Contender {
  return { name, title, args, rename: (data) => data, asks: (query) => asked(query.document, query) };
}

/** By the API's own names and envelopes: it makes no cursors and no computed fields. */
function wire(name: string, title: string, ...args: readonly string[]): Contender {
  return {
    ...graphql(name, title, ...args),
    rename: renameWire,
    asks: (query) => (query.isComputed ? null : asked(wireDocument(query), query)),
  };
}

const floor: Contender = {
  name: 'floor',
  title: 'Floor',
  args: ['bench/floor.ts'],
  rename: null,
  asks: (query) => ({ ...asked(query.document, query), path: `/${query.name}` }),
};

/** Everyone who takes part. Switchboard is as `npm start` has it, but keeps no answers. */
export const contenders: readonly Contender[] = [
  floor,
  {
    ...graphql('switchboard', 'Switchboard', ...startOptions, 'src/main.cjs'),
    env: { HISTORY_CACHE_MS: '0', REPORT_CACHE_MS: '0' },
    readiness: '/ready',
  },
  graphql('mercurius', 'Mercurius with JIT', 'bench/peers/mercurius.ts'),
  graphql('yoga', 'Yoga with JIT', 'bench/peers/yoga.ts'),
  graphql('apollo', 'Apollo Server', 'bench/peers/apollo.ts'),
  wire('mesh', 'Mesh behind Hive Gateway', 'bench/mesh/main.ts'),
  { ...wire('tailcall', 'Tailcall (Rust)'), asks: discriminated, prepare: findTailcall },
];

/** Tailcall tells the types of a union by their names on the wire. */
function discriminated(query: BenchQuery): Asked | null {
  if (query.isComputed) return null;
  return asked(
    wireDocument(query).replace(/on (Comparative|Simple)Line/g, (_, name: string) => `on ${name.toLowerCase()}`),
    query,
  );
}
