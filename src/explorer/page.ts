import { createHash } from 'node:crypto';
import type { Handler } from '../http/endpoint.ts';
import { createKeptText, type ChooseCoding } from '../http/response/compression.ts';

/** A page, and what it may do by directive of its policy. What is not named, it may not. */
export interface PageSource {
  readonly html: string;
  readonly allowed: Readonly<Record<string, string>>;
}

/** Serves a page, which is written and compressed when somebody asks for it first, and kept. */
export function createPage(
  write: () => PageSource | Promise<PageSource>,
  chooseCoding: ChooseCoding,
  status: 200 | 404 = 200,
): Handler {
  const own = { 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'" };
  const read = once(async () => {
    const { html, allowed } = await write();
    const directives = Object.entries({ 'default-src': "'none'", ...allowed, ...own });
    const policy = directives.map(([name, value]) => `${name} ${value}`).join('; ');
    return { policy, send: createKeptText(Buffer.from(html), chooseCoding, 'no-cache') };
  });
  return async ({ req, res }) => {
    const { policy, send } = await read();
    res.setHeader('content-security-policy', policy);
    res.setHeader('cross-origin-opener-policy', 'same-origin');
    res.setHeader('referrer-policy', 'no-referrer');
    // For browsers without support for the policy's frame-ancestors.
    res.setHeader('x-frame-options', 'DENY');
    await send(req, res, 'text/html', status);
  };
}

/** Serves a file of pages, which is read when somebody asks for it first. Its address changes with its contents: browsers keep it. */
export function createAsset(name: string, read: () => Promise<Buffer>, chooseCoding: ChooseCoding): Handler {
  const readKept = once(async () => createKeptText(await read(), chooseCoding, 'public, max-age=31536000, immutable'));
  return async ({ req, res }) => {
    const send = await readKept();
    res.setHeader('content-security-policy', "default-src 'none'");
    await send(req, res, name.endsWith('.css') ? 'text/css' : 'text/javascript');
  };
}

/** Runs a function when its result is wanted first, and again if that has failed. */
export function once<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | null = null;
  return () => {
    result ??= run().catch((error: unknown) => {
      result = null;
      throw error;
    });
    return result;
  };
}

/** The source by which a policy allows a script or a style within the page: the exact text between its tags. */
export function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
