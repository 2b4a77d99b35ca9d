import { mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseExactly } from '../../client/src/index.ts';
import { readConfig } from '../../src/config.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/files.ts';
import { startFixedSandbox } from '../support/sandbox.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { heldBlocks, unrunBlocks, unrunCommand, type Exception } from './exception.ts';
import { pageOf, pages, read, root, type Block, type Page, type Section } from './page.ts';
import { runShell, type Script } from './shell.ts';
import { differenceOf, patternOf } from './shown.ts';

// The sandbox has a new delivery every five seconds of this clock, which only this file moves.
let uptime = 0;
let sandbox: Sandbox;
let common: Gateway;
const folder = temporaryFolder();

const start = (env: Readonly<Record<string, string>> = {}): Promise<Gateway> =>
  startGateway(sandbox.baseUrl, { EXPLAIN: 'true', SUBSCRIPTION_POLL_MS: '50', ...env });

beforeAll(async () => {
  sandbox = await startFixedSandbox(() => uptime);
  common = await start();
});

afterAll(async () => {
  await common.close();
  await sandbox.close();
});

const guide = pageOf('docs/guide/start.md');
const allOf = ({ sections }: Page): readonly Block[] => sections.flatMap(({ blocks }) => blocks);
const [ask = ''] = allOf(guide).flatMap(({ text }) => /^ask\(\) .+$/m.exec(text) ?? []);

const isException = ({ path }: Page, { line }: Block): boolean =>
  unrunCommand.test(line) ||
  [...unrunBlocks, ...heldBlocks].some(({ page, start: begin }) => page === path && line.startsWith(begin));

/** The block that an exception names; throws where there is none, or more than one. */
function blockOf({ page, start: begin }: Exception): Block {
  const blocks = allOf(pageOf(page)).filter(({ line }) => line.startsWith(begin));
  if (blocks[0] === undefined || blocks.length > 1) throw new Error(`${page} has ${blocks.length} blocks ${begin}.`);
  return blocks[0];
}

const settings = /^((?:[A-Z_]+=\S+ )*)npm start$/m;

/** The state that the commands of a section share. */
interface Place {
  readonly folder: string;
  gateway: Gateway;
}

/** The block behind another where it shows what that one prints. */
function shownBehind({ blocks }: Section, at: number): Block | undefined {
  const next = blocks[at + 1];
  return next?.language === 'json' || next?.language === '' ? next : undefined;
}

function expectShown(out: string, shown: Block | undefined): void {
  if (shown?.language === 'json') expect(differenceOf(parseExactly(shown.text), parseExactly(out))).toBeNull();
  else if (shown !== undefined) expect(out).toMatch(patternOf(shown.text));
  else expect(out).not.toContain('"errors"');
}

async function runQuery({ text }: Block, shown: Block | undefined, { gateway }: Place): Promise<void> {
  const response = await gateway.query(text, { key: 'sandbox-key' });
  expectShown(response.text, shown);
}

/** Starts what `npm start` would start with these settings, for the rest of the section. */
async function startAgain(given: string, place: Place): Promise<Gateway> {
  const env = Object.fromEntries(given.split(' ').flatMap((word) => (word === '' ? [] : [word.split('=')])));
  expect(() => readConfig(env)).not.toThrow();
  const { PERSISTED_OPERATIONS: path } = env;
  return start({ ...env, ...(path !== undefined && { PERSISTED_OPERATIONS: join(place.folder, path) }) });
}

/** Reads a stream, which never ends by itself: the clock goes on until the delivery that the page shows has come. */
async function follow(script: Script, shown: Block | undefined): Promise<void> {
  const outOneLater = (): string => {
    uptime += 5_000;
    return script.out;
  };
  try {
    await expect.poll(() => script.out).toContain('id: ');
    await expect.poll(outOneLater).toMatch(patternOf(shown?.text ?? 'event: next'));
  } finally {
    script.stop();
    await script.ending;
  }
}

async function runLines({ text }: Block, shown: Block | undefined, place: Place): Promise<void> {
  const [line, given = ''] = settings.exec(text) ?? [];
  const lines = `${ask}\n${line === undefined ? text : text.replace(line, '')}`
    .replaceAll('http://127.0.0.1:4000', place.gateway.url)
    .replaceAll('http://127.0.0.1:…/v2', sandbox.baseUrl);
  const script = runShell(lines, place.folder);
  if (text.includes('text/event-stream')) return follow(script, shown);
  expect([await script.ending, script.err]).toEqual([0, expect.not.stringMatching(/error/i)]);
  expectShown(script.out, shown);
  if (line !== undefined) place.gateway = await startAgain(given, place);
}

async function runBlock(
  block: Block,
  shown: Block | undefined,
  place: Place,
  compared: Block | undefined,
): Promise<void> {
  if (block.language === 'graphql') await runQuery(block, shown, place);
  else if (block.language === 'sh') await runLines(block, shown, place);
  else expect(compared, `Nothing runs or excuses the block ${block.line}`).toBe(block);
}

async function runSection(page: Page, section: Section): Promise<void> {
  const place: Place = { folder: join(mkdtempSync(join(folder, 'section-')), 'project'), gateway: common };
  mkdirSync(place.folder);
  symlinkSync(`${root}node_modules`, join(place.folder, 'node_modules'));
  try {
    for (const [at, block] of section.blocks.entries())
      if (!isException(page, block))
        await runBlock(block, shownBehind(section, at), place, shownBehind(section, at - 1));
  } finally {
    if (place.gateway !== common) await place.gateway.close();
  }
  if (section.title === 'CSV download')
    expect(readdirSync(place.folder)).toContain('charges-breakdown-2026-10-01-2026-11-01.csv');
}

const examples = pages.flatMap((page) =>
  page.sections
    .filter(({ blocks }) => blocks.some((block) => !isException(page, block)))
    .map((section) => ({ name: `${page.path}, ${section.title}`, page, section })),
);

test.for(examples)('an example of a page runs and responds as shown: $name', async ({ page, section }) => {
  expect.hasAssertions();
  await runSection(page, section);
});

describe('a block that does not run by itself', () => {
  const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

  test.for(heldBlocks)('$page, $start: is in $told', (held) => {
    // Here the package is imported from its source.
    const file = read(held.told)
      .replaceAll(/(?:\.\.\/)+client\/src\/(\w+)\.ts/g, '@switchboard-gateway/client/$1')
      .replaceAll('@switchboard-gateway/client/index', '@switchboard-gateway/client');
    expect(flat(file)).toContain(flat(blockOf(held).text));
  });

  test.for(unrunBlocks)('$page, $start: has a reason', (unrun) => {
    blockOf(unrun);
    for (const [path] of unrun.told.matchAll(/(?:test|\.ci)\/[\w/-]+(?:\.\w+)*/g))
      expect(() => read(path)).not.toThrow();
  });
});
