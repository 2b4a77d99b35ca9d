import * as records from '../../../support/records.ts';
import { selectionOf } from '../../../support/records.ts';
import type { Random, Step } from '../types.ts';
import type { ListName, Row } from '../model/account.ts';
import type { Filter } from '../model/view.ts';

/** What a list is asked for. */
export interface ListAsk {
  readonly list: ListName;
  /** By its number among the filters of the list. */
  readonly filter: number;
  readonly order: number;
}

/** A filter or an order, as a query has it and as the API has it. */
interface Spelled {
  readonly argument: unknown;
  readonly wire: Filter;
}

const none: Spelled = { argument: undefined, wire: {} };

/** The filters of each list, the first of which lets everything through. */
const filtersOf: Readonly<Record<ListName, readonly Spelled[]>> = {
  connections: [
    none,
    { argument: { connectionName: { contains: 'OFFICE' } }, wire: { 'filter[connection_name][contains]': 'OFFICE' } },
    { argument: { connectionName: { eq: 'fax 7' } }, wire: { 'filter[connection_name]': 'fax 7' } },
    { argument: { active: true }, wire: { active: 'true' } },
    { argument: { tags: { contains: 'emea' } }, wire: { tag: 'emea' } },
  ],
  missions: [none],
  deliveries: [
    none,
    { argument: { status: { eq: 'failed' } }, wire: { 'filter[status][eq]': 'failed' } },
    {
      argument: { eventType: ['call_initiated', 'message.sent'] },
      wire: { 'filter[event_type]': 'call_initiated,message.sent' },
    },
  ],
};

/** The orders of connections, the first of which is none. */
const orders: readonly Spelled[] = [
  none,
  { argument: { field: 'CONNECTION_NAME', direction: 'DESC' }, wire: { sort: '-connection_name' } },
  { argument: { field: 'ACTIVE' }, wire: { sort: 'active' } },
];

/** A filter and an order in one. */
export function spelledOf({ list, filter, order }: ListAsk) {
  const chosen = filtersOf[list][filter] ?? none;
  const sorted = list === 'connections' ? (orders[order] ?? none) : none;
  return { filter: chosen, order: sorted, wire: { ...chosen.wire, ...sorted.wire } };
}

/** A list to ask for, by chance. */
export function someList(random: Random): ListAsk {
  const list = random.pick<ListName>(['connections', 'missions', 'deliveries', 'deliveries']);
  const isPlain = random.chance(0.6);
  return {
    list,
    filter: isPlain ? 0 : random.below(filtersOf[list].length),
    order: isPlain ? 0 : random.below(orders.length),
  };
}

/** Reads an argument that a step must have. */
export function argumentOf<T>(step: Step, name: string): T {
  return step[name] as T;
}

const full: Readonly<Record<ListName, string>> = {
  connections: selectionOf(records.ipConnectionRecord()),
  missions: selectionOf(records.missionRecord()),
  deliveries: selectionOf(records.webhookDeliveryRecord()),
};

/** What is selected of a row: its identifier alone, or all. */
export const selections = ['id', 'full'] as const;
export type Selected = (typeof selections)[number];

/** The selection of a row. */
export function selectedOf(list: ListName, selected: Selected): string {
  return selected === 'id' ? '{ id }' : full[list];
}

/** Whether two views show the same rows in the same order. */
export function isSameView(a: readonly Row[], b: readonly Row[]): boolean {
  return a.length === b.length && a.every((row, index) => row.id === b[index]?.id);
}
