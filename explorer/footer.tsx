import { parse, valueFromASTUntyped, visit } from 'graphql';
import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useRef, type ReactElement } from 'react';
import { downloadCharges } from '../client/src/csv.ts';
import { callerHeaders } from './caller.ts';
import { useEditorThemes } from './editor-themes.ts';
import { bytesText, countText, millisecondsText, useLastRun, type Run } from './last-run.ts';
import { copy, curlOf, fetchOf, linkTo, typed, useNews, type Operation } from './link.ts';

/** The period of a report that can be downloaded. */
interface Report {
  readonly startDate: string;
  readonly endDate?: string;
}

/** What can be copied of an operation: the name of its button, what it is called, and who writes it. */
const copies = [
  ['Share', 'link', linkTo],
  ['Copy as curl', 'command', curlOf],
  ['Copy as fetch', 'code', fetchOf],
] as const;

function factsOf({ status, milliseconds, bytes, events, calls, isRunning }: Run): string {
  const facts = [
    status ?? (isRunning ? 'sent' : 'no answer'),
    millisecondsText(milliseconds),
    bytesText(bytes),
    events > 1 && countText(events, 'event'),
    calls !== null && countText(calls.length, 'call'),
    isRunning && events > 0 && 'live',
  ];
  return facts.filter((fact) => fact !== false).join(' · ');
}

/** What stands below the answer. `operationName`: of the operation that the page's address asks for, if it names one. */
export function Footer({ operationName: asked }: { readonly operationName: string | null }): ReactElement {
  const run = useLastRun();
  const state = useGraphiQL(pick('queryEditor', 'variableEditor', 'operationName', 'operations'));
  const actions = useGraphiQLActions();
  const pending = useRef(asked);
  const { queryEditor, variableEditor, operations } = state;
  useEditorThemes();

  useEffect(() => {
    typed.variables = () => variableEditor?.getValue() ?? '';
  }, [variableEditor]);

  useEffect(() => {
    if (!operations?.some(({ name }) => name?.value === pending.current)) return;
    actions.setOperationName(pending.current ?? '');
    pending.current = null;
  }, [operations, actions]);

  // What takes the place of the whole text, as a prettified query does, may be out of view.
  useEffect(() => {
    const listening = queryEditor?.onDidChangeModelContent(({ isFlush }) => {
      if (isFlush) queryEditor.setScrollPosition({ scrollTop: 0, scrollLeft: 0 });
      useNews.setState('');
    });
    return () => listening?.dispose();
  }, [queryEditor]);

  const operation = (): Operation => ({
    query: queryEditor?.getValue() ?? '',
    variables: variableEditor?.getValue() ?? '',
    operationName: state.operationName ?? null,
  });
  const download = (report: Report): Promise<void> =>
    downloadCharges({ url: '/graphql', headers: callerHeaders(), ...report }).catch(({ message }: Error) =>
      useNews.setState(message),
    );
  return (
    <div className="ours footer row small">
      <span role="status">{run !== null && factsOf(run)}</span>
      {(run?.status === 200 ? reportsOf(operation()) : []).map((report) => (
        <button key={report.startDate} type="button" title={report.startDate} onClick={() => void download(report)}>
          Download CSV
        </button>
      ))}
      {copies.map(([name, what, write]) => (
        <button key={name} type="button" onClick={() => void copy(what, write(operation()))}>
          {name}
        </button>
      ))}
      <output>{useNews()}</output>
    </div>
  );
}

/** The reports that an operation asks for. */
function reportsOf({ query, variables, operationName }: Operation): readonly Report[] {
  const found = new Map<string, Report>();
  try {
    const values = JSON.parse(variables || '{}') as Record<string, unknown>;
    visit(parse(query), {
      OperationDefinition: ({ name }) => (operationName === null || name?.value === operationName ? undefined : false),
      VariableDefinition({ variable, defaultValue }) {
        if (defaultValue !== undefined) values[variable.name.value] ??= valueFromASTUntyped(defaultValue);
      },
      Field({ name, arguments: given = [] }) {
        if (!['chargesBreakdown', 'chargesBreakdownCsv'].includes(name.value)) return;
        const period = Object.fromEntries(
          given.map((each) => [each.name.value, valueFromASTUntyped(each.value, values)]),
        );
        const { startDate, endDate } = period as Readonly<Record<string, string | null>>;
        if (startDate != null) found.set(startDate, { startDate, ...(endDate != null && { endDate }) });
      },
    });
  } catch {
    // It is no operation as it stands.
  }
  return [...found.values()];
}
