import type { GraphQLError } from 'graphql';
import { violationsOf, type Violation } from '../../errors.ts';
import type { CountViolation } from '../../telemetry/violation-counter.ts';
import type { Exchange } from '../request/exchange.ts';

/** Which violations of one answer have been counted: one value may be read by several fields, and fail each of them. */
type Counted = Map<object, Set<string | number>>;

/** Counts the violations that stand behind the errors of an answer, each value once, however often it was selected. */
export interface ResponseViolations {
  /** Counts those of an answer, or of a piece of one. */
  count(errors: readonly GraphQLError[], exchange: Exchange): void;
  /** Forgets the answer: what comes next in its exchange is another. */
  end(exchange: Exchange): void;
}

/** Remembers nothing beyond an answer, and nothing at all of one without errors. */
export function createResponseViolations(countViolation: CountViolation): ResponseViolations {
  const answers = new WeakMap<Exchange, Counted>();
  return {
    count(errors, exchange) {
      for (const { originalError } of errors)
        for (const violation of violationsOf(originalError)) {
          const counted = answers.get(exchange) ?? new Map();
          answers.set(exchange, counted);
          if (isNew(violation, counted)) countViolation(violation, exchange);
        }
    },
    end: (exchange) => void answers.delete(exchange),
  };
}

/** One error may stand at several paths, as of a call that several fields share. */
function isNew(violation: Violation, counted: Counted): boolean {
  const { holder, key } = violation.place ?? { holder: violation, key: '' };
  const keys = counted.get(holder) ?? new Set();
  counted.set(holder, keys);
  if (keys.has(key)) return false;
  keys.add(key);
  return true;
}
