import { createHash } from 'node:crypto';
import { expect } from 'vitest';

/** Every page keeps to itself: no guessed types, in no frame, without a referrer, open to no origin. */
export function expectGuarded({ headers }: Response): void {
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  });
  expect(headers.has('access-control-allow-origin')).toBe(false);
}

/** A page of the site runs files of its own origin, and the one script within it; `more` is what its policy allows besides. */
export function expectPolicy({ headers }: Response, html: string, more = '', style = ''): void {
  const [script = '', ...others] = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, text = '']) => text);
  const hash = createHash('sha256').update(script).digest('base64');
  expect(others).toEqual([]);
  expect(headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'${style}; img-src data:; ${more}` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
}
