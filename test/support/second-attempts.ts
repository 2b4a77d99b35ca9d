import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** How many tests of one run may pass only at their second attempt. */
const mostSecondAttempts = 5;

/** Names each test that passed only at its second attempt; a run with more of them than chance explains fails. */
class SecondAttempts implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const passed = modules.flatMap(({ children }) => [...children.allTests('passed')]);
    const again = passed.filter((test) => test.diagnostic()?.flaky);
    for (const test of again) this.#vitest?.logger.error(`Passed only at its second attempt: ${describe(test)}`);
    if (again.length <= mostSecondAttempts) return;
    this.#vitest?.logger.error(
      `${again.length} tests passed only at their second attempt; at most ${mostSecondAttempts} may.`,
    );
    process.exitCode = 1;
  }
}

/** The name of a test, and what failed at its first attempt: the seed of a random one is not lost. */
function describe(test: TestCase): string {
  const messages = (test.result().errors ?? []).map(({ message }) => message);
  return [`${test.module.relativeModuleId} > ${test.fullName}`, ...messages].join('\n');
}

/**
 * Options of vitest. Many tests watch the clock, the memory and the signals of real processes, on machines that do other things
 * too: one that fails runs once more, and is named at the end, so that it is mended rather than forgotten.
 */
export const secondAttempts = { retry: 1, reporters: ['default', new SecondAttempts()] };
