import { existsSync } from 'node:fs';

/** A place of this gateway that a page leads to. */
export interface SitePlace {
  readonly path: string;
  readonly name: string;
  /** One sentence. */
  readonly about: string;
}

export interface PlaceOptions {
  /** Whether clients may read the schema. */
  readonly hasSchema: boolean;
  /** Whether there are tools for agents. */
  readonly hasTools: boolean;
}

const graphiql: SitePlace = {
  path: '/graphql',
  name: 'GraphiQL',
  about: 'Write and run queries, with ready ones in tabs and the whole schema beside.',
};

const schemaPlaces: readonly SitePlace[] = [
  { path: '/voyager', name: 'Voyager', about: 'The schema as a picture.' },
  { path: '/schema.graphql', name: 'Schema', about: 'The schema in SDL, for code generators.' },
];

const clientGuide: SitePlace = {
  path: '/docs/client-guide.md',
  name: 'Client guide',
  about: 'What a schema cannot say: errors, values, cursors, live data, limits.',
};

const toolGuide: SitePlace = {
  path: '/docs/agents.md',
  name: 'Tools',
  about: 'The operations as tools for agents (Model Context Protocol).',
};

/** Lists the places that pages lead to. Pages lead only to what there is. */
export function listPlaces({ hasSchema, hasTools }: PlaceOptions): readonly SitePlace[] {
  const guides = [clientGuide, ...(hasTools ? [toolGuide] : [])];
  return [
    graphiql,
    ...(hasSchema ? schemaPlaces : []),
    // An installation may lack its documents.
    ...guides.filter(({ path }) => existsSync(guideFile(path))),
  ];
}

/** Whether a place is a document for clients, which `guideFile` holds. */
export function isGuide({ path }: SitePlace): boolean {
  return path.startsWith('/docs/');
}

/** The file of a document for clients. */
export function guideFile(path: string): URL {
  return new URL(`../../..${path}`, import.meta.url);
}
