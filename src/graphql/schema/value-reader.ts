import { isLeafType, isListType, isNonNullType, type GraphQLOutputType } from 'graphql';
import { failedItems } from '../../bounds.ts';
import { recordIn } from '../../json.ts';
import { attemptErrorIn } from './attempt-error.ts';
import { headerIn } from './http-header.ts';
import { leaves, type Leaf } from './leaf.ts';
import { misfit, placeOf, type Site } from './misfit.ts';

/**
 * Takes a value as it came and checks that the schema can represent it. The holder and key of the value, where they are known, go
 * into the error. Throws UPSTREAM_BAD_RESPONSE.
 */
export type Reader<Value = unknown> = (value: unknown, holder?: object, key?: string | number) => Value | null;

/** The reader for a type of the schema. A list keeps its good items: each bad one fails alone, at its own path. */
export function readerOf<Value>(type: GraphQLOutputType, site: Site, leaf?: Leaf): Reader<Value> {
  return untypedReaderOf(type, site, leaf) as Reader<Value>;
}

function untypedReaderOf(type: GraphQLOutputType, site: Site, given?: Leaf): Reader {
  if (isNonNullType(type)) return present(readerOf(type.ofType, site, given), site);
  if (isListType(type)) return listReader(type.ofType, site, given);
  if (!isLeafType(type)) {
    const { read, expected } = sourceOf(type.name);
    return optional(read, site, expected);
  }
  const leaf = given ?? leaves[type.name];
  if (leaf === undefined) throw new Error(`No check is declared for the scalar ${type.name}.`);
  return optional(leaf.read, site, leaf.expected);
}

interface Source {
  readonly expected: string;
  /** What the resolvers of the type are handed; undefined where the value is refused. */
  readonly read: (value: unknown) => unknown;
}

const record: Source = { expected: 'an object', read: recordIn };
/** Types whose objects are something else on the wire, or come in several forms. */
const sources: Readonly<Record<string, Source>> = {
  HttpHeader: { expected: 'a pair [name, value], or the text "name: value",', read: headerIn },
  AttemptError: { expected: 'an integer, or an object', read: attemptErrorIn },
};

/** Whether objects of a type are plain records on the wire. */
export function isPlainRecord(typeName: string): boolean {
  return sources[typeName] === undefined;
}

/** What an object of a type is on the wire. */
export function sourceOf(typeName: string): Source {
  return sources[typeName] ?? record;
}

function optional(read: (value: unknown) => unknown, site: Site, expected: string): Reader {
  return (value, holder, key) => {
    if (value == null) return null;
    const known = read(value);
    if (known !== undefined) return known;
    throw misfit(site, expected, value, placeOf(holder, key));
  };
}

function present(read: Reader, site: Site): Reader {
  return (value, holder, key) => {
    if (value == null) throw misfit(site, 'a value', value, placeOf(holder, key));
    return read(value, holder, key);
  };
}

function listReader(itemType: GraphQLOutputType, site: Site, leaf?: Leaf): Reader {
  const itemSite = { ...site, wireName: `an item of ${site.wireName}` };
  const readItem = present(readerOf(itemType, itemSite, leaf), itemSite);
  return (value, holder, key) => {
    if (value == null) return null;
    if (!Array.isArray(value)) throw misfit(site, 'a list', value, placeOf(holder, key));
    let failed = 0;
    return value.map((item: unknown, index): unknown => {
      try {
        return readItem(item, value, index);
      } catch (error) {
        // Each error costs as much as a hundred items, and a response reports few of them.
        if (++failed > failedItems)
          throw misfit(site, `a list with at most ${failedItems} items of another form`, value);
        return error;
      }
    });
  };
}
