import { useState } from 'react';
import { fetchBreakdown, save } from '../gateway/breakdown-export.ts';
import type { Failure } from '../gateway/failure.ts';
import { useKey } from '../gateway/key.ts';
import type { Period } from '../values/day.ts';

interface BreakdownDownloadProps {
  readonly period: Period;
  /** Told at the start and when it has failed. */
  readonly onFailures: (failures: readonly Failure[]) => void;
}

/** Downloads the charges of each number as CSV. */
export function BreakdownDownload({ period, onFailures }: BreakdownDownloadProps) {
  const key = useKey();
  const [isLoading, setLoading] = useState(false);
  const download = async (): Promise<void> => {
    if (isLoading) return;
    setLoading(true);
    onFailures([]);
    const result = await fetchBreakdown(period, key);
    if ('name' in result) save(result);
    else onFailures(result);
    setLoading(false);
  };
  return (
    <button type="button" aria-busy={isLoading} onClick={() => void download()}>
      {isLoading ? 'Downloading…' : 'Download by number (CSV)'}
    </button>
  );
}
