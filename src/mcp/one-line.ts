/** A description of the schema in one line; empty where there is none. */
export function oneLine(text: string | null | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim();
}
