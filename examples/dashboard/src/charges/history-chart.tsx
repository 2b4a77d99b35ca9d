import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { money } from '../values/wording.ts';
import { MonthTooltip } from './month-tooltip.tsx';
import { colourOf, headOf, type Month, type Series } from './history-series.ts';

interface HistoryChartProps {
  readonly months: readonly Month[];
  readonly series: readonly Series[];
  /** Null where the months have not all the same. */
  readonly currency: string | null;
}

/**
 * Charges by service, stacked, a bar per month, with a gap for a month that could not be read. Bars are drawn from doubles; the
 * figures beside them are exact.
 */
export function HistoryChart({ months, series, currency }: HistoryChartProps) {
  const rows = months.map((month, at) => ({
    month: headOf(month),
    ...Object.fromEntries(
      series.map(({ alias, amounts }) => [alias, amounts[at] == null ? null : Number(amounts[at])]),
    ),
  }));
  return (
    <figure
      className="chart"
      aria-label="Charges by service and month, as a stacked bar chart; the figures follow as a table"
    >
      <ResponsiveContainer width="100%" height={340}>
        {/* The library stacks bars in the order in which they were first drawn: other services are another chart. */}
        <BarChart
          key={series.map(({ alias }) => alias).join(' ')}
          data={rows}
          margin={{ top: 8, right: 8, bottom: 0, left: 8 }}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="month"
            tickLine={false}
            axisLine={{ stroke: 'var(--line)' }}
            tick={{ fill: 'var(--quiet)' }}
          />
          <YAxis
            width={76}
            tickLine={false}
            axisLine={false}
            tick={{ fill: 'var(--quiet)' }}
            tickFormatter={(value: number) => money(String(value), currency).replace(/\.00$/, '')}
          />
          <Tooltip
            cursor={{ fill: 'var(--line)', opacity: 0.4 }}
            content={({ active, activeIndex }) =>
              active && activeIndex != null ? (
                <MonthTooltip month={months[Number(activeIndex)]} series={series} at={Number(activeIndex)} />
              ) : null
            }
          />
          <Legend itemSorter={null} formatter={(name: string) => <span className="legend">{name}</span>} />
          {series.map(({ alias, name }, at) => (
            <Bar
              key={alias}
              dataKey={alias}
              name={name}
              stackId="month"
              fill={colourOf(alias, at)}
              stroke="var(--card)"
              maxBarSize={72}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </figure>
  );
}
