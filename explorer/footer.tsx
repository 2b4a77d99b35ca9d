import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useRef, type ReactElement } from 'react';
import { downloadCharges } from '../client/src/csv.ts';
import { callerHeaders } from './caller.ts';
import { useEditorThemes } from './editor-themes.ts';
import { bytesText, countText, lastRun, millisecondsText, type Run } from './last-run.ts';
import { copy, curlOf, fetchOf, linkTo, news, typedVariables, type Operation } from './link.ts';
import { reportsOf, type Report } from './reports.ts';

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
  const run = lastRun.use();
  const state = useGraphiQL(pick('queryEditor', 'variableEditor', 'operationName', 'operations'));
  const actions = useGraphiQLActions();
  const pending = useRef(asked);
  const { queryEditor, variableEditor, operations } = state;
  useEditorThemes();

  useEffect(() => typedVariables.set(() => variableEditor?.getValue() ?? ''), [variableEditor]);

  useEffect(() => {
    if (!operations?.some(({ name }) => name?.value === pending.current)) return;
    actions.setOperationName(pending.current ?? '');
    pending.current = null;
  }, [operations, actions]);

  // What takes the place of the whole text, as a prettified query does, may be out of view.
  useEffect(() => {
    const listening = queryEditor?.onDidChangeModelContent(({ isFlush }) => {
      if (isFlush) queryEditor.setScrollPosition({ scrollTop: 0, scrollLeft: 0 });
      news.set('');
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
      news.set(message),
    );
  return (
    <div className="ours footer row small">
      <span role="status">{run !== null && factsOf(run)}</span>
      {(run?.status === 200 ? reportsOf(operation()) : []).map((report) => (
        <button key={report.startDate} type="button" title={report.startDate} onClick={() => void download(report)}>
          Download CSV
        </button>
      ))}
      <button type="button" onClick={() => void copy('link', linkTo(operation()))}>
        Share
      </button>
      <button type="button" onClick={() => void copy('command', curlOf(operation()))}>
        Copy as curl
      </button>
      <button type="button" onClick={() => void copy('code', fetchOf(operation()))}>
        Copy as fetch
      </button>
      <output>{news.use()}</output>
    </div>
  );
}
