import type { ErrorCode } from '../errors.ts';

/** What an error says of itself, as the gateway has formatted it. */
export interface ErrorFacts {
  readonly code: string;
  readonly retryable: boolean;
  readonly argument?: readonly (string | number)[];
  /** Several arguments that do not fit each other. */
  readonly arguments?: readonly string[];
  readonly retryAfterSeconds?: number;
  readonly signupUrl?: string;
}

const steps: Readonly<Record<ErrorCode, (facts: ErrorFacts) => string>> = {
  BAD_USER_INPUT: ({ argument, arguments: several }) =>
    `Correct ${argument?.join('.') ?? several?.join(' or ') ?? 'the arguments'} and call again.`,
  UNAUTHENTICATED: ({ signupUrl }) =>
    `Ask the user for an API key, which the client sends as "Authorization: Bearer <key>"${
      signupUrl === undefined ? '' : `; a key can be had at ${signupUrl}`
    }.`,
  FORBIDDEN: () => 'Do not call again with this key: tell the user that it lacks permission.',
  NOT_FOUND: () => 'Check the identifier with one of the tools that list.',
  UNPROCESSABLE_ENTITY: () => 'Tell the user what the message says: the same call will fail again.',
  RATE_LIMITED: ({ retryAfterSeconds }) =>
    retryAfterSeconds === undefined
      ? 'Wait some seconds, then call again.'
      : `Wait ${retryAfterSeconds} seconds, then call again.`,
  UPSTREAM_ERROR: ({ retryable }) =>
    retryable ? 'Call again in some seconds, at most twice.' : 'Tell the user what the message says.',
  UPSTREAM_TIMEOUT: () => 'Ask for less, such as a shorter period, or call again once.',
  UPSTREAM_UNAVAILABLE: () => 'Call again in some seconds, at most twice.',
  UPSTREAM_BAD_RESPONSE: () => 'Use what data there are: the same call will fail again.',
  QUERY_TOO_COMPLEX: () => 'Ask for less: fewer rows or fields, or a shorter period.',
  INTERNAL_SERVER_ERROR: () => 'Give the requestId to the maintainers of this gateway.',
};

/** Says in one sentence what a model should do about an error. */
export function nextStep(facts: ErrorFacts): string {
  const step = Object.hasOwn(steps, facts.code) ? steps[facts.code as ErrorCode] : null;
  if (step !== null) return step(facts);
  // The codes of the document itself, such as GRAPHQL_PARSE_FAILED.
  return 'Correct the query and call again.';
}
