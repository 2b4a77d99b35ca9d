import type { GatewayError } from '../../errors.ts';
import { recordIn } from '../../json.ts';
import { misfit, placeOf, type Site } from './misfit.ts';

/** The list that a record holds, its items unchecked; null where there is none. Throws UPSTREAM_BAD_RESPONSE for anything else. */
export function checkedList<Item>(value: readonly Item[] | null | undefined, site: Site, holder: object) {
  if (value == null) return null;
  if (Array.isArray(value)) return value as readonly Item[];
  throw misfit(site, 'a list', value, placeOf(holder, site.wireName));
}

/** As `checkedList`, of a list that must be there: throws UPSTREAM_BAD_RESPONSE where there is none. */
export function requiredListOf<Item>(
  value: readonly Item[] | null | undefined,
  site: Site,
  holder: object,
): readonly Item[] {
  const list = checkedList(value, site, holder);
  if (list !== null) return list;
  throw misfit(site, 'a value', value, placeOf(holder, site.wireName));
}

/** An item of a list as it is handed to the executor: an error in its place fails the item, not the list. */
export function itemOf<Row>(row: Row, site: Site, holder: object, index: number): Row | GatewayError {
  return (recordIn(row) as Row | undefined) ?? misfit(site, 'an object', row, placeOf(holder, index));
}

/** A record as it is handed to the executor. Throws UPSTREAM_BAD_RESPONSE for anything that is no object. */
export function recordOf<Row>(row: Row, site: Site, holder?: object, key: string | number = site.wireName): Row {
  const record = recordIn(row) as Row | undefined;
  if (record !== undefined) return record;
  throw misfit(site, 'an object', row, placeOf(holder, key));
}
