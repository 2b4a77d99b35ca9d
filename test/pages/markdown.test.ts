import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../.ci/guides.ts';
import { runs } from '../support/runs.ts';

const place = ['/docs/one.md', ['/docs/one.md', '/docs/two.md']] as const;
const render = (markdown: string): string => renderMarkdown(markdown, ...place).html;
const targetsIn = (html: string): readonly string[] =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => target);

describe('A guide as a page', () => {
  test('leaves HTML and pictures out', () => {
    const html = '<script>alert("1")</script>';
    const written = [html, `a ${html} b`, `# ${html}`, `| ${html} |\n|-|`, `[${html}](#a)`, 'a ![b](c.png)'];
    for (const markdown of [...written, '<picture>\n  <img src="x" onerror="alert(1)" alt="A">\n</picture>'])
      expect([markdown, render(markdown)]).toEqual([markdown, expect.not.stringMatching(/<(?:script|picture|img)/i)]);
    expect(render(`\`${html}\``)).toContain('&lt;script&gt;');
  });

  test('lets no text out of its tags and attributes', () => {
    const piece = fc.constantFrom(...Array.from('<>"&\'`[]()!#|\na '), '```', 'b:');
    const tags =
      /<\/?(?:h\d|p|a|ul|ol|li|em|strong|del|code|pre|div|table|thead|tbody|tr|th|td|blockquote|span|button|br|hr|input)(?: [a-z-]+="[^"<>]*"| data-origin)*>/g;
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 60 }), (markdown) => {
        expect(render(markdown).replaceAll(tags, '')).not.toMatch(/[<>]/);
      }),
      { numRuns: runs(400) },
    );
  });

  test.for([
    ['#part', '#part'],
    ['two.md#part', '/docs/two.md#part'],
    ['https://example.com/a?b=1&c=2', 'https://example.com/a?b=1&amp;c=2'],
    ['three.md', null],
    ['../examples/README.md', null],
    ['http://127.0.0.1:4000/graphql?query={a}', '/graphql?query={a}'],
    ['http://127.0.0.1:4000//example.com/', '/example.com/'],
    ['http://127.0.0.1:4001/', null],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['http://[', null],
  ] as const)('leads a link to %s to %s', ([href, target]) => {
    const html = render(`[text](<${href}>)`);
    expect(targetsIn(html)).toEqual(target === null ? [] : [target]);
    expect(html).toContain('text');
  });

  test('gives headings the anchors that GitHub gives them, each once', () => {
    const html = render('# A & B: `c_d`!\n\n## Zürich-1\n\n## Same\n\n### Same\n\n## Same\n');
    const ids = ['a--b-c_d', 'zürich-1', 'same', 'same-1', 'same-2'];
    expect([...html.matchAll(/<h\d id="([^"]*)"/g)].map(([, id]) => id)).toEqual(ids);
  });

  test('lists its sections as text', () => {
    const markdown = 'text\n\n## A `b` & *c*\n\none `two`, three\n\n| f |\n|-|\n| g |\n\n# D';
    expect(renderMarkdown(markdown, ...place)).toMatchObject({
      headings: '<li><a href="#a-b--c">A b &amp; c</a></li>',
      sections: [
        { anchor: 'a-b--c', title: 'A b & c', text: 'one two, three f g' },
        { anchor: 'd', title: 'D', text: '' },
      ],
    });
    expect(renderMarkdown('text', ...place)).toMatchObject({ headings: '', sections: [] });
  });

  test('marks the origin of the gateway, wherever it is shown', () => {
    const shown = '<span data-origin>http://127.0.0.1:4000</span>';
    expect(render('`http://127.0.0.1:4000/graphql`')).toBe(`<p><code>${shown}/graphql</code></p>\n`);
    expect(render('<http://127.0.0.1:4000/graphql>')).toBe(`<p><a href="/graphql">${shown}/graphql</a></p>\n`);
    expect(render('```sh\ncurl http://127.0.0.1:4000\n```')).toContain(`curl ${shown}</code>`);
  });

  test.for([
    ['```graphql\n{ a(b: "c") }\n```', '{ a(b: "c") }'],
    ["```sh\nKEY=a ask 'query={ a }' -H 'X-Cost: 1'\n```", '{ a }'],
    ['```ts\nconst A = graphql(`\n  { a }\n`);\n```', '  { a }\n'],
    ['```sh\nask documentId=a\n```', null],
    ['```ts\nconst A = graphql(`\n  ${b}\n`);\n```', null],
    ['```\n{ a }\n```', null],
  ] as const)('leads from %j to GraphiQL with %j', ([markdown, query]) => {
    const targets = query === null ? [] : [`/graphql?query=${encodeURIComponent(query)}`];
    expect(targetsIn(render(markdown))).toEqual(targets);
  });

  test('puts code and tables into frames that scroll, and that the keyboard reaches', () => {
    expect(render('```sh\na < b\n```')).toBe(
      '<div class="code"><pre tabindex="0" role="group" aria-label="Code: sh"><code>a &lt; b</code></pre><button type="button">Copy</button></div>\n',
    );
    expect(render('| a |\n| - |\n| b |')).toMatch(
      /^<div class="table" tabindex="0" role="group" aria-label="Table"><table>/,
    );
  });
});
