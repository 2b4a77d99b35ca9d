import { read } from '../documents/page.ts';

/** The file of the alert rules, below the root. */
export const alertFile = 'deploy/prometheus/alerts.yaml';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const dashboard = JSON.parse(read('deploy/grafana/switchboard.json')) as { readonly panels: readonly Panel[] };

/** What the panels of the dashboard show. */
export const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);

/** The alert rules, the expression of each in one line. */
export const alerts = [...read(alertFile).matchAll(/- alert: (\w+)\n([^]*?)(?=\n {6}- alert|$)/g)].map(
  ([, name = '', text = '']) => ({
    name,
    expr: (/expr: (?:>\n)?([^]*?)\n {8}\w/.exec(text)?.[1] ?? '').replaceAll(/\s+/g, ' ').trim(),
    summary: /summary: *(.*)/s.exec(text)?.[1] ?? '',
  }),
);
