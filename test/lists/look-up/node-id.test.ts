import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeIds } from '../../../src/resources/schema.ts';

const encode = (text: string): string => Buffer.from(text).toString('base64url');

describe('a nodeId', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));

  test('is read as it was written, whatever its identifier and hint', () => {
    fc.assert(
      fc.property(text, fc.option(text), (id, hint) => {
        const wellFormed = { id: id.toWellFormed(), hint: hint?.toWellFormed() ?? null };
        const nodeId = encode(JSON.stringify(['Mission', wellFormed.id, wellFormed.hint]));
        expect(nodeIds.read(nodeId)?.wanted).toEqual(wellFormed);
      }),
    );
  });

  const bad: Readonly<Record<string, string>> = {
    'with padding': `${encode('["Mission","a",null]')}=`,
    'with spaces': encode('["Mission","a", null]'),
    'with an escape that is not needed': encode('["Mission","\\u0061",null]'),
    'with a control character': encode('["Mission","a\n",null]'),
    'with one part more': encode('["Mission","a",null,1]'),
    'with one part less': encode('["Mission","a"]'),
    'with a number for a hint': encode('["Mission","a",1]'),
    'that is no UTF-8': Buffer.concat([
      Buffer.from('["Mission","'),
      Buffer.from([0xff]),
      Buffer.from('",null]'),
    ]).toString('base64url'),
    'of another type that begins the same': encode('["MissionX","a",null]'),
    'cut off': encode('["Mission","a",null]').slice(0, -1),
    'with another last character': `${encode('["Mission","ab",null]').slice(0, -1)}1`,
  };
  test.for(Object.entries(bad))('is refused: one %s', ([, nodeId]) => {
    expect(nodeIds.read(nodeId)).toBeNull();
  });
});
