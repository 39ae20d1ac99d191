import { useSignal } from '@preact/signals'
import type { RevenueInterval } from '@remit/client'
import type { ComponentChildren } from 'preact'
import { Button } from '../../../design/Button.tsx'
import { amountWords } from '../../../words/money.ts'
import { monthWords, shortMonth } from './numbers.ts'

interface MonthBarsProps {
  readonly rows: readonly RevenueInterval[]
  /** The token's, made harmless. */
  readonly symbol: string
  /** The same as a table. */
  readonly table: ComponentChildren
}

const HEIGHT = 100

/** Twelve bars need no library for charts: what came in by month, with the same as a table. */
export function MonthBars({ rows, symbol, table }: MonthBarsProps) {
  const isTable = useSignal(false)
  const [most = 0n] = rows
    .map(({ arrived }) => arrived.amountRaw)
    .sort((one, other) => (one < other ? 1 : -1))
  const heightOf = (raw: bigint) => (most === 0n ? 0 : (Number((raw * 1_000n) / most) / 1_000) * HEIGHT)
  return (
    <figure>
      <div class="row row-apart">
        <span>What came in, in {symbol}</span>
        <Button
          isSmall
          kind="quiet"
          onClick={() => {
            isTable.value = !isTable.value
          }}
        >
          {isTable.value ? 'Show as a chart' : 'Show as a table'}
        </Button>
      </div>
      {isTable.value ? (
        table
      ) : (
        <div
          class="bars"
          role="img"
          aria-label={`What came in by month, in ${symbol}: ${rows.map(({ from, arrived }) => `${monthWords(from)} ${amountWords(arrived.amount)}`).join('; ')}.`}
        >
          {rows.map(({ from, arrived }) => (
            <div
              key={from.dayNumber}
              class="bars__month"
              title={`${monthWords(from)}: ${amountWords(arrived.amount)}`}
            >
              <svg
                class="bars__bar"
                viewBox={`0 0 10 ${HEIGHT}`}
                preserveAspectRatio="none"
                aria-hidden="true"
              >
                <rect
                  width="10"
                  height={heightOf(arrived.amountRaw)}
                  y={HEIGHT - heightOf(arrived.amountRaw)}
                />
              </svg>
              <span class="bars__name">{shortMonth(from)}</span>
            </div>
          ))}
        </div>
      )}
    </figure>
  )
}
