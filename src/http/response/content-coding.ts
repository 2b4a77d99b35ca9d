import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { acceptEncodingLength, rememberedHeaders } from '../../bounds.ts';

// In the order of preference where a client gives none: zstd takes the least time for its size.
const codings = ['zstd', 'br', 'gzip'] as const;
/** The content codings in which responses are sent (RFC 9110, section 8.4.1). */
export type Coding = (typeof codings)[number];

/** Chooses the coding of a response by the weights of Accept-Encoding; null means that it is sent as it is. */
export type ChooseCoding = (req: IncomingMessage) => Coding | null;

/** Leaves the coding of all responses to a proxy. */
export const chooseNone: ChooseCoding = () => null;

/** Creates a choice that remembers the headers that were used last. A client that sends no header wants no coding. */
export function createCodingChoice(among: readonly Coding[] = codings): ChooseCoding {
  const known = new LRUCache<string, Coding | 'identity'>({ max: rememberedHeaders });
  return ({ headers }) => {
    const header = headers['accept-encoding'];
    if (typeof header !== 'string' || header.length > acceptEncodingLength) return null;
    const chosen = known.get(header) ?? choose(header, among);
    known.set(header, chosen);
    return chosen === 'identity' ? null : chosen;
  };
}

// The types of the package lack the second argument.
type Encoding = (
  available: readonly string[],
  options: { readonly preferred: readonly string[] },
) => string | undefined;

function choose(header: string, among: readonly Coding[]): Coding | 'identity' {
  // The package knows the weight by the small letter alone.
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header.toLowerCase() } });
  const chosen = (negotiator.encoding as Encoding)([...among, 'identity'], { preferred: among });
  // A client that refuses every coding, identity included, gets the response as it is: it can still read that.
  return among.find((coding) => coding === chosen) ?? 'identity';
}
