import { answers, notPrepared } from './bodies.ts';
import { periods } from './periods.ts';

/** The meaning of a request target: which response, and how it is sent. */
export interface Target {
  readonly answer: Buffer;
  readonly isCounted: boolean;
  /** How long it waits, in milliseconds. */
  readonly delayMs: number;
  readonly isHuge: boolean;
}

// The halves of the upstream that take their time, by their first path segment.
const delays: Readonly<Record<string, number>> = { slow: 50, far: 20 };

const known = new Map<string, Target>();
// Periods that never repeat each have a report of their own.
const mostKnown = 1_000;

function keyOf(path: string, query: URLSearchParams): string {
  if (path === '/charges_summary') return path;
  if (path !== '/charges_breakdown') return `${path} ${query.get('page[size]')}`;
  const size = query.get('start_date') === periods.large ? 'large' : 'small';
  return `${path} ${query.get('format') ?? 'json'} ${size}`;
}

/** A report repeats the period that it was asked for, in as many bytes. */
function dated(answer: Buffer, query: URLSearchParams): Buffer {
  const copy = Buffer.from(answer);
  for (const name of ['start_date', 'end_date']) {
    const member = `"${name}":"`;
    const at = copy.indexOf(member);
    if (at >= 0) copy.write(query.get(name) ?? '', at + member.length);
  }
  return copy;
}

function read(target: string): Target {
  const { pathname, searchParams } = new URL(target, 'http://upstream.invalid');
  const path = pathname.replace(/^(?:\/(?:slow|far))?\/v2/, '');
  const answer = answers.get(keyOf(path, searchParams)) ?? notPrepared;
  return {
    answer: path.startsWith('/charges_') ? dated(answer, searchParams) : answer,
    isCounted: path !== pathname,
    delayMs: delays[pathname.split('/')[1] ?? ''] ?? 0,
    isHuge: searchParams.get('format') === 'csv' && searchParams.get('start_date') === periods.huge,
  };
}

/** The meaning of a request target; one that is asked again and again is parsed once. */
export function targetOf(target: string): Target {
  let found = known.get(target);
  if (found === undefined) {
    found = read(target);
    if (known.size >= mostKnown) known.clear();
    known.set(target, found);
  }
  return found;
}
