import { readFileSync } from 'node:fs';
import type { Asked } from './load/exchange.ts';
import { renameMesh } from './peers/mesh/rename.ts';
import { documentOf, type BenchQuery } from './queries.ts';

/** A server that is measured. */
export interface Contender {
  readonly name: string;
  readonly title: string;
  /** The program, relative to the project's root. */
  readonly file: string;
  /** Whether it is far from Switchboard and no target names it, so that half of the rounds say enough. */
  readonly isFar?: boolean;
  /** Options of Node that its start command has; absent: none. */
  readonly flags?: readonly string[];
  /** Settings of its own; absent: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether its answers are GraphQL, to be compared with Switchboard's. */
  readonly isGraphql: boolean;
  /** Whether it offers the charges breakdown as a CSV download. */
  readonly hasExport: boolean;
  /** Whether the charges breakdown can be asked for page by page. */
  readonly hasReportPages: boolean;
  asks(query: BenchQuery, variables?: object): Asked;
  /** Gives the data of an answer the names that Switchboard's schema has. */
  rename(data: unknown): unknown;
}

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: { readonly start: string };
};
const startOptions = scripts.start.split(' ').filter((word) => word.startsWith('--'));

function graphql(name: string, title: string, file: string): Contender {
  return {
    name,
    title,
    file,
    isGraphql: true,
    hasExport: name === 'switchboard',
    hasReportPages: true,
    rename: (data) => data,
    asks: ({ document, variables }, others = {}) => ({
      path: '/graphql',
      method: 'POST',
      body: JSON.stringify({ query: document, variables: { ...variables, ...others } }),
    }),
  };
}

const floor: Contender = {
  name: 'floor',
  title: 'Floor',
  file: 'bench/floor.ts',
  isGraphql: false,
  hasExport: true,
  hasReportPages: true,
  rename: (data) => data,
  asks: ({ name, floorName = name, document, variables }, others = {}) => ({
    path: `/${floorName}`,
    method: 'POST',
    body: JSON.stringify({ query: document, variables: { ...variables, ...others } }),
  }),
};

// It hands on what it is sent as it comes. An export does so in either case.
const pipingFloor: Contender = {
  ...withSettings(floor, 'floor-piping', 'piping', { PIPING: 'true' }),
  hasExport: false,
  hasReportPages: false,
};

// Mesh makes its own schema from an OpenAPI document, so it has documents of its own, and no pages of a report.
const mesh: Contender = {
  ...graphql('mesh', 'Mesh behind Hive Gateway', 'bench/peers/mesh/main.ts'),
  hasReportPages: false,
  isFar: true,
  asks: ({ name, variables }, others = {}) => ({
    path: '/graphql',
    method: 'POST',
    body: JSON.stringify({ query: documentOf(`mesh/${name}`), variables: { ...variables, ...others } }),
  }),
  rename: renameMesh,
};

/** The same server with so many threads on its port. */
export function withWorkers(contender: Contender, count: number): Contender {
  return withSettings(contender, `${contender.name}-${count}`, `${count} workers`, { WORKERS: String(count) });
}

/** The same server under a name of its own, with settings of its own. */
export function withSettings(
  contender: Contender,
  name: string,
  title: string,
  env: Readonly<Record<string, string>>,
): Contender {
  return { ...contender, name, title: `${contender.title}, ${title}`, env: { ...contender.env, ...env } };
}

/** Everyone who can take part; Switchboard is what the answers of the others are compared with. */
export const contenders: readonly Contender[] = [
  floor,
  pipingFloor,
  // As `npm start` has it.
  {
    ...graphql('switchboard', 'Switchboard', 'src/main.cjs'),
    flags: startOptions,
  },
  graphql('mercurius', 'Mercurius with JIT', 'bench/peers/mercurius.ts'),
  { ...graphql('yoga', 'Yoga with JIT', 'bench/peers/yoga.ts'), isFar: true },
  { ...graphql('apollo', 'Apollo Server', 'bench/peers/apollo.ts'), isFar: true },
  mesh,
];
