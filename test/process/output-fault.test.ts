import { test } from 'vitest';
import { createOutputAttack, outputFaults, type OutputCourse } from '../attack/output-attack.ts';
import { runs } from '../support/runs.ts';

// Each starts a process; on a busy machine that alone takes a while.
const patient = { timeout: 300_000 };
const descriptors = ['stdout', 'both', 'stderr'] as const;

/** Each fault under load, and in a long run also at the start and at the stop, with one and two workers. */
const courses: readonly OutputCourse[] = outputFaults.map((fault, index) => {
  const other = (ahead: number) => outputFaults[(index + ahead) % outputFaults.length] ?? fault;
  return {
    workers: index % 2 === 0 ? 1 : 2,
    start: [fault, descriptors[index % 3] ?? 'both'],
    load: [
      [fault, 'stdout'],
      [other(1), 'both'],
      [other(2), 'stdout'],
    ],
    stop: [other(8), descriptors[(index + 1) % 3] ?? 'both'],
  };
});

// Three in a row share three faults.
const step = runs(1) > 1 ? 1 : 3;

test.concurrent.for(courses.filter((_, index) => index % step === 0))(
  'a gateway goes on with its output in $start, and accounts for its lines',
  patient,
  async (course, { expect }) => {
    const faults = await createOutputAttack().run([course]);
    expect(faults.map(({ promise, detail }) => `${promise}: ${detail}`)).toEqual([]);
  },
);

const plain: OutputCourse = { workers: 1, start: null, load: [['ENOSPC', 'stdout']], stop: ['EIO', 'stdout'] };

test.concurrent.for([
  ['dies', 'the gateway serves'],
  ['tries for ever', 'the gateway serves'],
  ['tears lines', 'each line of the log is whole'],
  ['forgets', 'each line is written or counted'],
  ['is silent', 'standard error says once that lines are lost'],
  ['repeats itself', 'standard error says once that lines are lost'],
  ['stays', 'a signal ends the process in time'],
])('the attack finds a gateway that %s', patient, async ([plant = '', promise = ''], { expect }) => {
  const faults = await createOutputAttack(plant).run([plain]);
  expect(faults.map((fault) => fault.promise)).toContain(promise);
});
