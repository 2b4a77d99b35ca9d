function cell(value: string | null): string {
  if (value === null) return '';
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** RFC 4180 text: a header line, then the rows, each ended by CRLF; null is an empty cell. */
export function csv(columns: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
