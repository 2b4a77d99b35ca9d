import { text } from 'node:stream/consumers';
import { renderMarkdown, type GuideSource } from './markdown.ts';

// A program of its own, which `guide-page.ts` runs. It reads a `GuideSource` as JSON, and writes a `RenderedMarkdown` as JSON.
process.stdout.write(JSON.stringify(renderMarkdown(JSON.parse(await text(process.stdin)) as GuideSource)));
