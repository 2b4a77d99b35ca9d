import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../.ci/guides.ts';

const place = ['/docs/one.md', ['/docs/one.md', '/docs/two.md']] as const;
const render = (markdown: string): string => renderMarkdown(markdown, ...place).html;
const targetsIn = (html: string): readonly string[] =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => target);

describe('A guide as a page', () => {
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
});
