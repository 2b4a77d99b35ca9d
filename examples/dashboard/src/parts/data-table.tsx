import {
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
  type Row,
  type RowData,
  type SortingState,
  useTable,
} from '@tanstack/react-table';
import { Fragment, type ReactNode } from 'react';

/** The table library's parts that this page uses: rows come sorted and cut into pages by the gateway. */
export const features = tableFeatures({ rowSortingFeature });

/** Columns of a table of such rows. */
export type Columns<Item extends RowData> = ColumnDef<typeof features, Item>[];

interface DataTableProps<Item extends RowData> {
  readonly label: string;
  readonly columns: Columns<Item>;
  readonly rows: Item[];
  readonly idOf: (item: Item) => string;
  readonly sorting?: SortingState;
  readonly onSorting?: (sorting: SortingState) => void;
  /** What stands below an item's row, across all columns. */
  readonly below?: (item: Item) => ReactNode;
}

const unsorted: SortingState = [];

/** A table whose sortable heads are buttons. It only shows the order: sorting is asked of the gateway. */
export function DataTable<Item extends RowData>({
  label,
  columns,
  rows,
  idOf,
  sorting = unsorted,
  onSorting,
  below,
}: DataTableProps<Item>) {
  const table = useTable({
    features,
    columns,
    data: rows,
    getRowId: idOf,
    manualSorting: true,
    enableMultiSort: false,
    enableSortingRemoval: true,
    state: { sorting },
    onSortingChange: (change) => onSorting?.(typeof change === 'function' ? change(sorting) : change),
  });
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => {
                const { column } = header;
                const direction = column.getIsSorted();
                const text = <table.FlexRender header={header} />;
                return (
                  <th key={header.id} scope="col" aria-sort={direction === false ? undefined : `${direction}ending`}>
                    {onSorting !== undefined && column.getCanSort() ? (
                      <button type="button" className="sort" onClick={() => column.toggleSorting()}>
                        {text} <span aria-hidden="true">{{ asc: '▲', desc: '▼', false: '↕' }[`${direction}`]}</span>
                      </button>
                    ) : (
                      text
                    )}
                  </th>
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <DataRow key={row.id} row={row} below={below?.(row.original)}>
              {row.getAllCells().map((cell) => (
                <td key={cell.id}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </DataRow>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface DataRowProps<Item extends RowData> {
  readonly row: Row<typeof features, Item>;
  readonly below: ReactNode;
  readonly children: ReactNode;
}

function DataRow<Item extends RowData>({ row, below, children }: DataRowProps<Item>) {
  return (
    <Fragment>
      <tr>{children}</tr>
      {below != null && (
        <tr className="below">
          <td colSpan={row.getAllCells().length}>{below}</td>
        </tr>
      )}
    </Fragment>
  );
}
