import { failuresAt } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { ConnectionDocument } from '../generated/documents.ts';
import { Fact } from '../parts/fact.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { settingsOf } from './setting.ts';

/** All fields of a connection, read when its row is opened: by its `nodeId`, which makes it cheap to find. */
export function ConnectionDetails({ nodeId }: { readonly nodeId: string }) {
  const { data, old, failures, isLoading, retry } = useRead(ConnectionDocument, { nodeId });
  if (data === null && isLoading) return <Skeleton rows={8} />;
  const connection = data?.node?.__typename === 'IpConnection' ? data.node : null;
  return (
    <div className="details">
      <FailureNotice
        what={connection === null ? 'The connection' : 'Part of the connection'}
        failures={failuresAt(failures, 'node')}
        isOld={old.includes('node')}
        onRetry={retry}
      />
      {data?.node === null && failures.length === 0 && <p>This connection is gone.</p>}
      {connection !== null &&
        settingsOf(connection).map(({ title, settings }) => (
          <div key={title}>
            {title !== null && <h3>{title}</h3>}
            <dl className="settings">
              {settings.map(({ label, text, isCopied }) => (
                <Fact key={label} name={label} isCopied={isCopied}>
                  {text}
                </Fact>
              ))}
            </dl>
          </div>
        ))}
    </div>
  );
}
