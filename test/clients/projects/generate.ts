import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pageOf, type Section } from '../../documents/page.ts';
import { startGatewayProgram } from '../../support/process.ts';

// Runs the commands of the pages on clients for each project here, in front of a gateway. What they write is not kept in the repository.
const folder = import.meta.dirname;
/** Pages below docs/clients/, and the projects that they describe. */
const projects: Readonly<Record<string, string>> = {
  'tanstack-query': 'client-preset',
  'gql-tada': 'gql-tada',
  houdini: 'houdini',
  genql: 'genql',
};

/** The commands of sections, without those that install. */
function commandsOf(sections: readonly Section[]): readonly string[] {
  const commands = sections
    .flatMap(({ blocks }) => blocks)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').trim().split('\n'))
    .filter((line) => !line.startsWith('npm i '));
  if (commands.length === 0) throw new Error(`There are no commands in ${sections[0]?.title}.`);
  return commands;
}

const run = promisify(execFile);

async function generate(page: string, project: string, url: string): Promise<void> {
  const schema = pageOf('docs/guide/start.md').sections.filter(({ title }) => title === 'Clients');
  const env = { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` };
  for (const command of [...commandsOf(schema), ...commandsOf(pageOf(`docs/clients/${page}.md`).sections)]) {
    const line = command.replace(/^npx /, '').replaceAll('http://127.0.0.1:4000', url);
    await run('sh', ['-c', line], { cwd: join(folder, project), env });
  }
}

const { program, url } = await startGatewayProgram();
try {
  await Promise.all(Object.entries(projects).map(([page, project]) => generate(page, project, url)));
} finally {
  await program[Symbol.asyncDispose]();
}
