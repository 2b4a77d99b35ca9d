import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, specifiedRules, type DocumentNode, type GraphQLError } from 'graphql';
import { describe } from 'vitest';
import { createSchema } from '../../src/resources/schema.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import type { CheckDocument } from '../../src/http/graphql-execution.ts';
import { Documents } from '../../src/http/documents.ts';
import { useDocuments } from '../../src/http/plugins/request-plugins.ts';
import { limitDocuments, validateDocuments } from '../../src/http/graphql-rules.ts';
import { expect, test } from '../support/gateway.ts';

const schema = createSchema(readTypeDefs());
const limits = { tokens: 3_000, depth: 20, aliases: 100, rootFields: 50 };

const rules = [limitDocuments(schema, limits), validateDocuments(schema)];
const checkDocument: CheckDocument = (document, validationRules) =>
  rules.map((rule) => rule.checkDocument?.(document, validationRules) ?? []).find((errors) => errors.length > 0) ?? [];

/** Passes documents to the plugin as Yoga does, and returns what it did with each. */
function createReader() {
  const plugin = useDocuments(new Documents(limits, checkDocument));
  const [onParse, onValidate] = [plugin.onParse, plugin.onValidate] as unknown as [
    (hook: object) => void,
    (hook: object) => void,
  ];

  function documentOf(source: string, given: DocumentNode | null) {
    let document = given;
    let isParsed = false;
    let read: ((source: string) => DocumentNode) | undefined;
    onParse({
      params: { source },
      context: { read: null },
      setParsedDocument: (known: DocumentNode) => (document = known),
      setParseFn: (parseFn: typeof read) => (read = parseFn),
    });
    if (document === null && read !== undefined) {
      document = read(source);
      isParsed = true;
    }
    return { document: document as DocumentNode, isParsed };
  }

  return (source: string, given: DocumentNode | null = null) => {
    const { document, isParsed } = documentOf(source, given);
    let errors: readonly GraphQLError[] | undefined;
    let validate: ((...args: readonly unknown[]) => readonly GraphQLError[]) | undefined;
    onValidate({
      params: { documentAST: document },
      context: { read: null },
      setResult: (known: typeof errors) => (errors = known),
      setValidationFn: (validateFn: typeof validate) => (validate = validateFn),
    });
    const isValidated = errors === undefined;
    errors ??= validate?.(schema, document, specifiedRules) ?? [];
    return { isParsed, isValidated, errors: errors.length, document };
  };
}

describe('a valid document', () => {
  test('is neither parsed nor validated again', () => {
    const read = createReader();
    const first = read('{ missions { totalCount } }');
    expect(first).toMatchObject({ isParsed: true, isValidated: true, errors: 0 });
    expect(read('{ missions { totalCount } }')).toEqual({ ...first, isParsed: false, isValidated: false });
    expect(read('{ missions { totalCount }  }')).toMatchObject({ isParsed: true, isValidated: true });
  });

  test('that is trusted is validated once', () => {
    const read = createReader();
    const trusted = parse('{ missions { totalCount } }');
    expect(read('__PERSISTED__', trusted)).toMatchObject({ isParsed: false, isValidated: true, errors: 0 });
    expect(read('__PERSISTED__', trusted)).toMatchObject({ isParsed: false, isValidated: false, errors: 0 });
  });
});

describe('nothing is kept of', () => {
  test.for([
    ['a document that is not valid', '{ a }'],
    ['a document beyond a limit', `{ ${'__typename '.repeat(51)} }`],
  ])('%s', ([, text = '']) => {
    const read = createReader();
    for (let round = 0; round < 2; round++)
      expect(read(text)).toMatchObject({ isParsed: true, isValidated: true, errors: 1 });
  });

  test('a text that is no document', () => {
    const read = createReader();
    for (let round = 0; round < 2; round++) expect(() => read('{ a')).toThrow('Syntax Error');
  });
});

test('trusted and other known documents get the same response as at first', async ({ startWith, upstream }) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-known-'));
  try {
    writeFileSync(join(folder, 'Missions.graphql'), 'query Missions { missions { totalCount } }');
    upstream.script(() => ({ json: { data: [], meta: { total_results: 7 } } }));
    const gateway = await startWith({ PERSISTED_OPERATIONS: folder });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer a-key' };
    for (const body of [{ documentId: 'Missions' }, { query: '{ missions { totalCount } }' }]) {
      for (let round = 0; round < 3; round++) {
        const response = await gateway.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(body) });
        expect(await response.json()).toEqual({ data: { missions: { totalCount: 7 } } });
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
