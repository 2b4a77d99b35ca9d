/** What stands in place of data that has not come yet, in the height that it will have, so that little moves when it comes. */
export function Skeleton({ rows, isChart = false }: { readonly rows: number; readonly isChart?: boolean }) {
  return (
    <div className="skeleton placeholder" role="status">
      <span className="visually-hidden">Loading…</span>
      {isChart && <span className="bar chart-bar" aria-hidden="true" />}
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} className="bar" aria-hidden="true" />
      ))}
    </div>
  );
}
