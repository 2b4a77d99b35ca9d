import { text } from 'node:stream/consumers';
import { serialize } from 'node:v8';
import type { PackedPages, PageContents, ProgramTask } from './page-server.ts';

// A program of its own, which `page-server.ts` runs. It reads a `ProgramTask` as JSON, and writes the pages, or a guide as JSON.
const task = JSON.parse(await text(process.stdin)) as ProgramTask;
if ('contents' in task) process.stdout.write(await packContents(task.contents));
else {
  const { renderMarkdown } = await import('./markdown.ts');
  process.stdout.write(JSON.stringify(renderMarkdown(task.guide)));
}

async function packContents({ sdl, links, version, isSandbox }: PageContents): Promise<Uint8Array> {
  const [{ writeGraphiql }, { packPage }, { writeSchemaPage }] = await Promise.all([
    import('./graphiql-page.ts'),
    import('./page.ts'),
    import('./schema-page.ts'),
  ]);
  const graphiql = await packPage(await writeGraphiql({ links, isSandbox }));
  const schema = await packPage(await writeSchemaPage({ sdl, links, version }));
  return serialize({ graphiql, schema } satisfies PackedPages);
}
