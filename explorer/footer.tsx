import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { Copied, copied, copy } from './copied.tsx';
import { useEditorThemes } from './editor-themes.ts';
import { bytesText, countText, lastRun, millisecondsText, type Run } from './last-run.ts';
import { curlOf, linkTo, typedVariables, type Operation } from './link.ts';
import { downloadReport, reportsOf } from './reports.ts';

function factsOf({ status, milliseconds, bytes, events, calls, isRunning }: Run): string {
  const facts = [
    status === null ? (isRunning ? 'sent' : 'no answer') : String(status),
    millisecondsText(milliseconds),
    bytesText(bytes),
    ...(events > 1 ? [countText(events, 'event')] : []),
    ...(calls === null ? [] : [countText(calls.length, 'call')]),
    ...(isRunning && events > 0 ? ['live'] : []),
  ];
  return facts.join(' · ');
}

/** What stands below the answer. `operationName`: of the operation that the page's address asks for, if it names one. */
export function Footer({ operationName: asked }: { readonly operationName: string | null }): ReactElement {
  const run = lastRun.use();
  const [failure, setFailure] = useState('');
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
      copied.set(null);
    });
    return () => listening?.dispose();
  }, [queryEditor]);

  const operation = (): Operation => ({
    query: queryEditor?.getValue() ?? '',
    variables: variableEditor?.getValue() ?? '',
    operationName: state.operationName ?? null,
  });
  const reports = run === null || run.status !== 200 ? [] : reportsOf(operation());
  return (
    <div className="ours footer">
      <div className="row">
        <span role="status">{run !== null && factsOf(run)}</span>
        <span className="row">
          {reports.map((report) => (
            <button key={report.path} type="button" onClick={() => void downloadReport(report).then(setFailure)}>
              Download CSV{reports.length > 1 ? ` of ${report.startDate}` : ''}
            </button>
          ))}
          <button type="button" onClick={() => copy('link', linkTo(operation()))}>
            Share
          </button>
          <button type="button" onClick={() => copy('command', curlOf(operation()))}>
            Copy as curl
          </button>
        </span>
      </div>
      {failure !== '' && (
        <p className="bad" role="alert">
          {failure}
        </p>
      )}
      <Copied />
    </div>
  );
}
