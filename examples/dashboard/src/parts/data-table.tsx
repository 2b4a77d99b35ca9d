import {
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
  type RowData,
  type SortingState,
  useTable,
} from '@tanstack/react-table';
import { useState, type ReactNode } from 'react';
import { DataRow } from './data-row.tsx';

/** The table library's parts that this page uses: rows come sorted and cut into pages by the gateway. */
export const features = tableFeatures({ rowSortingFeature });

/** Columns of a table of such rows. */
export type Columns<Item extends RowData> = ColumnDef<typeof features, Item>[];

interface DataTableProps<Item extends RowData> {
  readonly label: string;
  /** They must be the same at each rendering: other cells are other elements, and lose the keyboard's focus. */
  readonly columns: Columns<Item>;
  readonly rows: Item[];
  readonly idOf: (item: Item) => string;
  readonly sorting?: SortingState;
  readonly onSorting?: (sorting: SortingState) => void;
  /** The label of the button that opens an item, e.g. "Settings of Head office". */
  readonly openerOf: (item: Item) => string;
  /** What an open item shows below its row, across all columns. */
  readonly detailsOf: (item: Item) => ReactNode;
  /** Whether an item came while the table was shown. */
  readonly isNew?: (item: Item) => boolean;
}

const unsorted: SortingState = [];
/** Of a row that is closed, a narrow screen shows its title and two facts: its first cells. */
const shownOnPhones = 3;

/** A table whose rows open, and whose sortable heads are buttons. It only shows the order: sorting is asked of the gateway. */
export function DataTable<Item extends RowData>(props: DataTableProps<Item>) {
  const { label, columns, rows, idOf, sorting = unsorted, onSorting, openerOf, detailsOf, isNew } = props;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void => setOpen((ids) => ids.symmetricDifference(new Set([id])));
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
    <div className="table-frame stacked" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              <th scope="col">
                <span className="visually-hidden">Details</span>
              </th>
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
            <DataRow
              key={row.id}
              opener={openerOf(row.original)}
              isOpen={open.has(row.id)}
              isNew={isNew?.(row.original) === true}
              width={row.getAllCells().length + 1}
              onToggle={() => toggle(row.id)}
              details={() => detailsOf(row.original)}
            >
              {row.getAllCells().map((cell, at) => (
                <td
                  key={cell.id}
                  data-label={headingOf(cell.column.columnDef.header)}
                  className={at < shownOnPhones ? undefined : 'folded'}
                >
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

/** The heading of a column as text, which stands beside each of its cells on a narrow screen. */
function headingOf(header: unknown): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
