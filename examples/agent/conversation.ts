import type { Arguments, CallAnswer, ToolClient } from './tool-client.ts';

/** One call that a model would make for a question. Its arguments may need what an earlier call returned. */
interface Step {
  readonly tool: string;
  readonly args: (earlier: readonly CallAnswer[]) => Arguments;
}

interface Question {
  readonly text: string;
  readonly steps: readonly Step[];
}

/** What one call of the conversation took. */
export interface Turn {
  readonly question: string;
  readonly tool: string;
  readonly bytes: number;
  readonly requestId: string;
  readonly isError: boolean;
}

const october = { startDate: '2026-10-01', endDate: '2026-11-01' };
const quarter = { startDate: '2026-07-01', endDate: '2026-10-01' };

function ask(text: string, ...steps: readonly Step[]): Question {
  return { text, steps };
}

function step(tool: string, args: Step['args'] | Arguments = {}): Step {
  return { tool, args: typeof args === 'function' ? args : () => args };
}

/** The newest answer of the conversation so far. */
const last = (earlier: readonly CallAnswer[]) => earlier.at(-1)?.json;

const questions: readonly Question[] = [
  ask('What did we spend in October, and why is it not what September was?', step('spend', october)),
  ask('What will November cost, and on what ground?', step('forecast', { month: '2026-11-01' })),
  ask(
    'What did the third quarter cost?',
    // A period of three months is refused, and the error says what to correct.
    step('spend', quarter),
    step('spend_by_month', quarter),
  ),
  ask(
    'Which numbers cost most in October? And the next ten?',
    step('charges_by_number', october),
    step('charges_by_number', (earlier) => ({ ...october, after: last(earlier).charges.results.pageInfo.endCursor })),
  ),
  ask('Which webhook deliveries failed, and why?', step('failed_deliveries')),
  ask(
    'What exactly happened with the newest of the most frequent ones?',
    step('delivery', (earlier) => ({ id: last(earlier).failures.groups[0].newest.id })),
  ),
  ask('Which of our connections are in Lisbon?', step('find_connections', { name: 'lisbon' })),
  ask(
    'How is the first of them set up?',
    step('connection', (earlier) => ({ id: last(earlier).connections.nodes[0].id })),
  ),
  ask(
    'Do the events of that connection arrive?',
    step('connection_deliveries', (earlier) => ({ id: last(earlier).connection.id })),
  ),
  ask(
    'What is the newest mission told to do?',
    step('newest_missions', { first: 1 }),
    step('mission', (earlier) => ({ id: last(earlier).missions.nodes[0].id })),
  ),
];

/** Has the conversation, and returns what each call of it took. */
export async function converse(client: ToolClient): Promise<readonly Turn[]> {
  const answers: CallAnswer[] = [];
  const turns: Turn[] = [];
  for (const { text: question, steps } of questions)
    for (const { tool, args } of steps) {
      const answer = await client.call(tool, args(answers));
      answers.push(answer);
      const { bytes, requestId, isError } = answer;
      turns.push({ question, tool, bytes, requestId, isError });
    }
  return turns;
}
