import { test as base } from 'vitest';
import { startGatewayProgram } from '../../support/process.ts';

/** Vitest's `test` with the address of a gateway over the sandbox, in a process of its own as a client meets it. */
export const test = base.extend<{ readonly url: string }>({
  url: [
    async ({}, use) => {
      const { program, url } = await startGatewayProgram();
      await use(`${url}/graphql`);
      await program[Symbol.asyncDispose]();
    },
    { scope: 'worker' },
  ],
});

export { expect } from 'vitest';
