import { useState } from 'react';
import { head, type PageArguments } from './page-arguments.ts';

/** The page of a list to ask for. A cursor belongs to its list: another filter or order, `of`, begins at the head. */
export function usePage(size: number, of: unknown): [PageArguments, (page: PageArguments) => void] {
  const list = JSON.stringify(of);
  const [turned, setTurned] = useState<{ readonly list: string; readonly page: PageArguments } | null>(null);
  const page = turned?.list === list ? turned.page : head(size);
  return [page, (next) => setTurned({ list, page: next })];
}

/** Whether two pages are asked for by the same arguments. */
export function isSamePage(one: PageArguments, other: PageArguments): boolean {
  return (
    one.first === other.first && one.after === other.after && one.last === other.last && one.before === other.before
  );
}
