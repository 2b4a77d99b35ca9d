/** A time in a table, in one line. */
export function Moment({ children }: { readonly children: string }) {
  return <span className="moment">{children}</span>;
}
