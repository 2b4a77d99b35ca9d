import { headersOf, isOfType, resultOf, type Access } from './http.ts';

/** Which report is downloaded, and by whom. */
export interface ChargesReport extends Access {
  /** Of the form YYYY-MM-DD, as `endDate`, which is exclusive. */
  readonly startDate: string;
  readonly endDate?: string;
}

/**
 * Has the browser save the charges of each number as a CSV file. A link cannot, since it sends no key. The file is whole: rejects where the
 * report is refused, with the gateway's `errors`, or breaks off.
 */
export async function downloadCharges({ startDate, endDate, ...access }: ChargesReport): Promise<void> {
  const period = { startDate, ...(endDate !== undefined && { endDate }) };
  const address = new URL('exports/charges-breakdown.csv', new URL(access.url, document.baseURI));
  address.search = new URLSearchParams(period).toString();
  const response = await fetch(address, { headers: await headersOf(access) });
  if (!response.ok || !isOfType(response, 'text/csv')) throw await refusalOf(response);
  save(await response.blob(), ['charges-breakdown', ...Object.values(period)].join('-').concat('.csv'));
}

async function refusalOf(response: Response): Promise<Error> {
  const { errors = [] } = await resultOf(response);
  return Object.assign(new Error(errors[0]?.message), { errors });
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Some browsers read the file later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
