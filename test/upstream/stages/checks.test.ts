import { describe } from 'vitest';
import { createClient } from '../../../src/upstream/client.ts';
import { passChecks, type Check, type Passage, type Stage } from '../../../src/upstream/stages/stage.ts';
import { expect, test } from '../../support/gateway.ts';
import { callerOf, createScriptedTransport, thing, type WireCall } from '../client-harness.ts';

const refusal = new Error('refused');

/** A client with the checks `a`, `b` and `c`, which tell their course; the test decides how `b` lets a call pass. */
function setUp(enterB: (passage: Passage) => Passage | Promise<Passage>, decide: (call: WireCall) => void) {
  const course: string[] = [];
  const passageOf = (name: string): Passage => ({
    answered: ({ status }) => course.push(`${name} ${status}`),
    failed: (error) => course.push(`${name} ${(error as Error).message}`),
  });
  const checkOf =
    (name: string, enter: (passage: Passage) => Passage | Promise<Passage> = (passage) => passage): Check =>
    () => {
      course.push(name);
      return enter(passageOf(name));
    };
  const transport = createScriptedTransport((call) => {
    course.push('sent');
    decide(call);
  });
  const client = createClient(transport, [passChecks([checkOf('a'), checkOf('b', enterB), checkOf('c')])]);
  const call = (): Promise<unknown> => client.get(thing(), callerOf('key')).catch((error: unknown) => error);
  return { course, call };
}

const answer = ({ answer: end }: WireCall): void => end(200);
const fail = ({ fail: end }: WireCall): void => end(new Error('lost'));
const later = async (passage: Passage): Promise<Passage> => passage;

describe('a call passes its checks', () => {
  test.for<[string, (passage: Passage) => Passage | Promise<Passage>]>([
    ['at once', (passage) => passage],
    ['where one has it wait', later],
  ])('in their order and ends for them in the reverse order: %s', async ([, enter]) => {
    const answered = setUp(enter, answer);
    await answered.call();
    expect(answered.course).toEqual(['a', 'b', 'c', 'sent', 'c 200', 'b 200', 'a 200']);
    const failed = setUp(enter, fail);
    expect(await failed.call()).toMatchObject({ message: 'lost' });
    expect(failed.course).toEqual(['a', 'b', 'c', 'sent', 'c lost', 'b lost', 'a lost']);
  });

  test('and is sent in the same tick where none has it wait', () => {
    const { course, call } = setUp((passage) => passage, answer);
    void call();
    expect(course).toEqual(['a', 'b', 'c', 'sent']);
  });
});

test.for<[string, () => Promise<Passage>]>([
  [
    'at once',
    () => {
      throw refusal;
    },
  ],
  ['after a wait', () => Promise.reject(refusal)],
])('a call that a check refuses %s ends for the checks before it alone', async ([, refuse]) => {
  const { course, call } = setUp(refuse, answer);
  expect(await call()).toBe(refusal);
  expect(course).toEqual(['a', 'b', 'a refused']);
});

test('a call that a check refuses behind one that had it wait ends for both', async () => {
  const course: string[] = [];
  const check =
    (name: string): Check =>
    async () => ({ failed: () => course.push(name) });
  const refuse: Check = () => {
    throw refusal;
  };
  const client = createClient(createScriptedTransport(answer), [passChecks([check('a'), check('b'), refuse])]);
  await expect(client.get(thing(), callerOf('key'))).rejects.toBe(refusal);
  expect(course).toEqual(['b', 'a']);
});

test('the checks that a call passes at once have one time, those behind a wait a later one, and all ends another', async () => {
  const times: number[] = [];
  const check =
    (waits: boolean): Check =>
    (_request, now) => {
      times.push(now);
      const passage: Passage = { answered: (_response, end) => void times.push(end) };
      return waits ? Promise.resolve(passage) : passage;
    };
  let clock = 0;
  const stage = passChecks([check(false), check(true), () => null, check(false), check(false)], () => ++clock);
  const client = createClient(createScriptedTransport(answer), [stage]);
  await client.get(thing(), callerOf('key'));
  expect(times).toEqual([1, 1, 2, 2, 3, 3, 3, 3]);
});

test('a call ends for all checks, whatever one of them or a later stage throws', async () => {
  const course: string[] = [];
  const fault = new Error('a fault');
  const ending = (name: string): void => {
    course.push(name);
    if (name.startsWith('b')) throw fault;
  };
  const check =
    (name: string): Check =>
    () => ({ answered: () => ending(`${name} answered`), failed: () => ending(`${name} failed`) });
  const outcomeOf = async (
    send: (call: WireCall) => void,
    ...further: readonly Stage[]
  ): Promise<readonly unknown[]> => {
    course.length = 0;
    const stages = [passChecks([check('a'), check('b'), check('c')]), ...further];
    const client = createClient(createScriptedTransport(send), stages);
    const outcome = await client.get(thing(), callerOf('key')).catch((error: unknown) => error);
    return [outcome, ...course];
  };
  expect(await outcomeOf(answer)).toEqual([fault, 'c answered', 'b answered', 'a answered']);
  expect(await outcomeOf(fail)).toEqual([fault, 'c failed', 'b failed', 'a failed']);
  const throwing: Stage = () => () => {
    throw new Error('a stage fails');
  };
  expect(await outcomeOf(answer, throwing)).toEqual([fault, 'c failed', 'b failed', 'a failed']);
});
