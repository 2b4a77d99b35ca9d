import { useState } from 'react';
import { useAccess } from '../gateway/access.ts';
import { fetchBreakdown, save } from '../gateway/breakdown-export.ts';
import { isRefusal, type Failure } from '../gateway/failure.ts';
import type { Period } from '../values/day.ts';
import { fileSize } from '../values/wording.ts';

interface BreakdownDownloadProps {
  readonly period: Period;
  /** Told at the start and when it has failed. */
  readonly onFailures: (failures: readonly Failure[]) => void;
}

/** Downloads the charges of each number as CSV, and says what was saved. */
export function BreakdownDownload({ period, onFailures }: BreakdownDownloadProps) {
  const { key, onRefused } = useAccess();
  const [isLoading, setLoading] = useState(false);
  const [state, setState] = useState('');
  const download = async (): Promise<void> => {
    if (isLoading) return;
    setLoading(true);
    setState('Downloading…');
    onFailures([]);
    const result = await fetchBreakdown(period, key);
    setLoading(false);
    if ('name' in result) {
      save(result);
      setState(`Saved ${result.name}, ${fileSize(result.content.size)}`);
      return;
    }
    setState('Not downloaded');
    if (result.some(isRefusal)) onRefused();
    onFailures(result);
  };
  return (
    <>
      <button type="button" aria-busy={isLoading} onClick={() => void download()}>
        Download by number (CSV)
      </button>
      <small className="download-state" role="status">
        {state}
      </small>
    </>
  );
}
