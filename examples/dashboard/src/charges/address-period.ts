import { changeAddress, useAddress } from '../session/address.ts';
import { useDraft } from '../session/draft.ts';
import type { Period } from '../values/day.ts';

/** A period of the page's address. */
interface AddressPeriod {
  readonly period: Period;
  /** What is typed in. */
  readonly draft: Period;
  readonly setDraft: (draft: Period) => void;
  /** Puts a period into the address; false where it is there already. */
  readonly send: (period: Period) => boolean;
}

/** The period that the address names by `name-from` and `name-to`, or a usual one. */
export function useAddressPeriod(name: string, usual: Period): AddressPeriod {
  const address = useAddress();
  const [from, to] = [`${name}-from`, `${name}-to`];
  const period = { startDate: address.get(from) ?? usual.startDate, endDate: address.get(to) ?? usual.endDate };
  const [draft, setDraft] = useDraft(period);
  const send = ({ startDate, endDate }: Period): boolean => {
    if (startDate === period.startDate && endDate === period.endDate) return false;
    changeAddress({ [from]: startDate, [to]: endDate });
    return true;
  };
  return { period, draft, setDraft, send };
}
