import { failuresAt } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { DeliveryDocument, type AttemptFragment } from '../generated/documents.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Fact } from '../parts/fact.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Status } from '../parts/status.tsx';
import { duration, moment, nothing } from '../values/wording.ts';
import { HeaderList } from './headers.tsx';

/** All attempts of a delivery, read when its row is opened: by its `nodeId`, which makes it cheap to find. */
export function Attempts({ nodeId }: { readonly nodeId: string }) {
  const { data, old, failures, isLoading, retry } = useRead(DeliveryDocument, { nodeId });
  const delivery = data?.node?.__typename === 'WebhookDelivery' ? data.node : null;
  if (data === null && isLoading) return <Skeleton rows={6} />;
  const attempts = delivery?.attempts ?? [];
  return (
    <div className="attempts">
      <FailureNotice
        what={delivery === null ? 'The attempts' : 'Part of the attempts'}
        failures={failuresAt(failures, 'node')}
        isOld={old.includes('node')}
        onRetry={retry}
      />
      {data?.node === null && failures.length === 0 && <p>This delivery is gone.</p>}
      {delivery !== null && (
        <dl className="facts">
          <Fact name="Delivery" isCopied>
            {delivery.id}
          </Fact>
          <Fact name="Event" isCopied>
            {delivery.webhook?.id}
          </Fact>
          <Fact name="Occurred (UTC)">{moment(delivery.webhook?.occurredAt)}</Fact>
          <Fact name="Connection">{delivery.ipConnection?.connectionName ?? 'cannot be told'}</Fact>
        </dl>
      )}
      <ol reversed>
        {attempts.map((attempt, at) => (
          <li key={at}>{attempt === null ? 'This attempt could not be read.' : <Attempt attempt={attempt} />}</li>
        ))}
      </ol>
    </div>
  );
}

function Attempt({ attempt: { status, startedAt, finishedAt, errors, http } }: { readonly attempt: AttemptFragment }) {
  const response = http?.response;
  return (
    <article>
      <h3>
        <Status state={status} /> {moment(startedAt)} <small>took {duration(startedAt, finishedAt)}</small>
      </h3>
      <p className="address">
        POST {http?.request?.url ?? nothing} → {response?.status ?? 'no answer'}
        {http?.request?.url != null && (
          <>
            {' '}
            <CopyButton what="address" text={http.request.url} />
          </>
        )}
        {errors != null && errors.length > 0 && <> · platform codes {errors.join(', ')}</>}
      </p>
      <div className="columns">
        <div>
          <HeaderList title="Request headers" headers={http?.request?.headers} />
        </div>
        <div>
          <HeaderList title="Response headers" headers={response?.headers} />
          {response?.body != null && response.body !== '' && (
            <>
              <h4>
                Response body <CopyButton what="response body" text={response.body} />
              </h4>
              <pre>{response.body}</pre>
            </>
          )}
        </div>
      </div>
    </article>
  );
}
