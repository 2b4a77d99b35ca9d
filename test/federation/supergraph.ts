import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { test as base, type Gateway } from '../support/gateway.ts';

/** A subgraph as a supergraph is composed of it. */
export interface Subgraph {
  readonly name: string;
  readonly sdl: string;
  readonly url: string;
}

/** The supergraph of several subgraphs; throws what does not compose. */
export function composeSupergraph(subgraphs: readonly Subgraph[]): string {
  const result = composeServices(subgraphs.map(({ name, sdl, url }) => ({ name, typeDefs: parse(sdl), url })));
  if (compositionHasErrors(result)) throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return result.supergraphSdl;
}

/** The SDL of a gateway's `_service`. */
export async function sdlOf(gateway: Gateway): Promise<string> {
  const { data } = await gateway.query('{ service: _service { sdl } }', { key: null });
  return data.service.sdl;
}

interface Fixtures {
  /** The gateway's own description for a supergraph. */
  readonly sdl: string;
}

/** Vitest's `test` with an upstream, a gateway, and its description. */
export const test = base.extend<Fixtures>({ sdl: async ({ gateway }, use) => use(await sdlOf(gateway)) });

export { expect } from '../support/gateway.ts';
