import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';

interface Options {
  readonly help?: boolean;
  readonly version?: boolean;
  readonly check?: { readonly operations: readonly string[]; readonly schema: string | null };
}

const { readOptions, applyOptions, adviceFor } = createRequire(import.meta.url)('../../src/main.cjs') as {
  readonly readOptions: (args: readonly string[]) => Options;
  readonly applyOptions: (options: Options, env: Record<string, string>) => void;
  readonly adviceFor: (oldest: string, current: string, isPackage: boolean) => string | null;
};

/** The settings of a start with options in an environment. */
function configFor(args: readonly string[], given: Readonly<Record<string, string>>) {
  const env = { ...given };
  applyOptions(readOptions(args), env);
  return readConfig(env);
}

describe('the options of the command', () => {
  test.for([
    [/^Unknown option '--prot'/, ['--prot', '1']],
    [/^Unknown option '-x'/, ['-x']],
    [/^Unexpected argument 'extra'/, ['extra']],
    [/^Option '-p, --port <value>' argument missing/, ['--port']],
    [/^Option '--port' argument is ambiguous/, ['--port', '-1']],
    [/^Option '--port' has no value/, ['--port=']],
    [/^Option '--upstream' has no value/, ['-p', '0', '--upstream=']],
    [/^Option '--upstream' is given more than once/, ['-u', 'http://127.0.0.1:1/v2', '--upstream=http://a/v2']],
    [/^Option '--port' is given more than once/, ['-p', '0', '-p', '0']],
    [/^Options '--sandbox' and '--upstream' exclude each other/, ['--sandbox', '-u', 'http://127.0.0.1:1/v2']],
    [/^Unknown option '--schemas'/, ['check', '--schemas', 'a']],
    [/^Option '--schema' is given more than once/, ['check', '-s', 'a', '-s', 'b']],
    [/^The options cannot be understood\./, ['https://user:hush@api.example.com/v2']],
  ] as const)('%s is why they are refused, with the usage and without credentials', ([message, args]) => {
    expect(() => readOptions(args)).toThrow(message);
    expect(() => readOptions(args)).toThrow(/\n\nUsage: switchboard \[options\]/);
    expect(() => readOptions(args)).not.toThrow(/hush/);
  });

  test('stand before the variables of the environment', () => {
    const env = { PORT: 'not this one', UPSTREAM_BASE_URL: 'ftp://nor.this' };
    const given = configFor(['-p', '0', '--upstream', 'http://api.example.com/v2'], env);
    expect(given).toMatchObject({ port: 0, upstreamBaseUrl: 'http://api.example.com/v2' });
    expect(configFor(['--sandbox', '--port=80'], env)).toMatchObject({ port: 80, upstreamBaseUrl: null });
    expect(configFor([], { PORT: '81' })).toMatchObject({ port: 81 });
  });

  test('are checked as the variables are', () => {
    expect(() => configFor(['--port=-1', '-u', '127.0.0.1:4010'], {})).toThrow(
      /^Switchboard cannot start: PORT must be .+; UPSTREAM_BASE_URL must be [^\n]+\.$/,
    );
  });

  test('ask for help, for the version, and for a check of operations', () => {
    expect(readOptions(['-h'])).toMatchObject({ help: true });
    expect(readOptions(['--version'])).toMatchObject({ version: true });
    expect(readOptions(['check', '-o', 'web=a', '--operations', 'b', '-s', 'c'])).toMatchObject({
      check: { operations: ['web=a', 'b'], schema: 'c' },
    });
    expect(readOptions(['check'])).toMatchObject({ check: { operations: [], schema: null } });
  });
});

describe('a Node that is too old', () => {
  test.for([
    ['26', '25.9.9'],
    ['26', '4.0.0'],
    ['26.4', '26.3.1'],
    ['106.0', '26.10.0'],
  ] as const)('is told what to do: %s is needed, and this is %s', ([needed, current]) => {
    const said = `Switchboard needs Node ${needed} or newer, and this is Node ${current}: `;
    expect(adviceFor(needed, current, false)).toBe(`${said}"npm ci && npm start" brings the right one and uses it.`);
    expect(adviceFor(needed, current, true)).toBe(
      `${said}install that from https://nodejs.org, and run the command again.`,
    );
  });

  test.for([
    ['26', '26.0.0'],
    ['26', '27.1.0'],
    ['26.4', '26.4.0'],
    ['26.4', '26.10.0'],
    ['25.99', '26.0.0'],
  ] as const)('is none where %s is needed, and this is %s', ([needed, current]) => {
    expect(adviceFor(needed, current, false)).toBeNull();
  });
});
