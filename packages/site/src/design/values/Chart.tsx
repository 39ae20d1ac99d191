import './chart.css'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../Button.tsx'

export interface ChartSeries {
  readonly label: string
  /** Its colour. `coming` is for what is expected. */
  readonly tone: 'accent' | 'coming' | 'spark' | 'bad'
  /** One for each place. For the heights alone. */
  readonly values: readonly number[]
  /** The same values as people read them. The table has them exactly. */
  readonly words: readonly string[]
}

interface ChartProps {
  /** What is shown, for those who do not see it. */
  readonly caption: string
  /** The places of the axis, each with a bar: its name "March 2026", and under the axis "Mar". */
  readonly places: readonly { readonly name: string; readonly short: string }[]
  /** What each bar is made of, from its foot upwards. */
  readonly series: readonly ChartSeries[]
  /** The place whose values are told first; by default the last one. */
  readonly now?: number
  /** The same as a table: for everybody who wants all numbers. */
  readonly table: ComponentChildren
}

/**
 * A chart of bars, one for each place of its axis (a week, a month), stacked of several series. A place is chosen by pointer, by touch or by
 * arrow keys; what it stands for is told in words above the chart.
 * All colours are those of the page, so it follows when they change.
 */
export function Chart({ caption, places, series, now = places.length - 1, table }: ChartProps) {
  const isTable = useSignal(false)
  const chosen = useSignal(now)
  const at = Math.min(chosen.value, places.length - 1)
  const place = places[at]
  const shown = series.filter(({ values }, index) => index === 0 || values.some((value) => value > 0))
  const told = `${place?.name}: ${shown.map(({ label, words }) => `${label} ${words[at]}`).join(', ')}`
  return (
    <figure class="chart">
      <div class="chart__head">
        <div>
          <p class="chart__when">{isTable.value ? caption : place?.name}</p>
          <ul class="chart__values">
            {shown.map(({ label, tone, words }) => (
              <li key={label} class={`chart__key chart--${tone}`}>
                {label} {isTable.value ? null : <span class="chart__value">{words[at]}</span>}
              </li>
            ))}
          </ul>
        </div>
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
        <Bars
          {...{ caption, places, series: shown, at, told }}
          choose={(index) => {
            chosen.value = index
          }}
        />
      )}
    </figure>
  )
}

interface BarsProps extends Pick<ChartProps, 'caption' | 'places' | 'series'> {
  readonly at: number
  /** What the chosen place stands for. */
  readonly told: string
  choose(index: number): void
}

// In CSS pixels. The first three are the margins around the bars, with room for the numbers and names of the axes.
const LEFT = 52
const BOTTOM = 24
const TOP = 8
/** What a name under the axis takes of the width. */
const NAME_WIDTH = 44

/** The bars as a control: a slider (by its role) that chooses a place. They are drawn as wide as the page leaves room. */
function Bars({ caption, places, series, at, told, choose }: BarsProps) {
  const ref = useRef<HTMLDivElement>(null)
  const size = useSignal({ width: 0, height: 0 })
  useEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    const follow = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: element.clientHeight }
    })
    follow.observe(element)
    return () => follow.disconnect()
  }, [])
  const { width, height } = size.value
  const step = (width - LEFT) / Math.max(1, places.length)
  const keys: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    Home: 0,
    End: places.length - 1,
  }
  return (
    <div
      ref={ref}
      class="chart__place"
      role="slider"
      tabIndex={0}
      aria-label={`${caption}. Arrow keys go through it.`}
      aria-valuemin={1}
      aria-valuemax={places.length}
      aria-valuenow={at + 1}
      aria-valuetext={told}
      onKeyDown={(event) => {
        const to = keys[event.key]
        if (to === undefined) return
        event.preventDefault()
        choose(Math.max(0, Math.min(places.length - 1, to)))
      }}
      onPointerMove={(event) => {
        const from = event.currentTarget.getBoundingClientRect().left + LEFT
        choose(Math.max(0, Math.min(places.length - 1, Math.floor((event.clientX - from) / step))))
      }}
    >
      {width <= LEFT ? null : <Drawing {...{ width, height, step, places, series, at }} />}
    </div>
  )
}

interface DrawingProps extends Pick<ChartProps, 'places' | 'series'> {
  readonly width: number
  readonly height: number
  /** The width of a place. */
  readonly step: number
  readonly at: number
}

function Drawing({ width, height, step, places, series, at }: DrawingProps) {
  const sums = places.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  const ticks = ticksTo(Math.max(0, ...sums), sums.every(Number.isInteger) ? 1 : 0)
  const most = ticks.at(-1) ?? 1
  const scale = (height - TOP - BOTTOM) / most
  const yOf = (value: number) => height - BOTTOM - value * scale
  const bar = Math.min(40, Math.max(2, step * 0.62))
  // Where a name is wider than its place, only every second, third … name is shown, counted from the last one.
  const nameEvery = Math.ceil(NAME_WIDTH / step)
  return (
    <svg class="chart__drawing" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <rect
        class="chart__band chart__band--now"
        x={LEFT + at * step}
        y={0}
        width={step}
        height={height - BOTTOM}
        rx={4}
      />
      {ticks.map((tick) => (
        <g key={tick}>
          <line
            class={tick === 0 ? 'chart__base' : 'chart__line'}
            x1={LEFT}
            x2={width}
            y1={yOf(tick)}
            y2={yOf(tick)}
          />
          <text class="chart__axis" x={LEFT - 8} y={yOf(tick) + 4} text-anchor="end">
            {COMPACT.format(tick)}
          </text>
        </g>
      ))}
      {places.map(({ name, short }, index) => {
        let below = 0
        const x = LEFT + (index + 0.5) * step
        return (
          <g key={name}>
            {series.map(({ label, tone, values }) => {
              const value = values[index] ?? 0
              const y = yOf(below + value)
              below += value
              return value * scale < 0.5 ? null : (
                <rect
                  key={label}
                  class={`chart__bar chart--${tone}`}
                  x={x - bar / 2}
                  y={y}
                  width={bar}
                  height={value * scale}
                  rx={2}
                />
              )
            })}
            {(places.length - 1 - index) % nameEvery === 0 ? (
              <text class="chart__axis" x={x} y={height - 6} text-anchor="middle">
                {short}
              </text>
            ) : null}
          </g>
        )
      })}
    </svg>
  )
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const FEWEST_STEPS = 3

/**
 * Round numbers from 0 to the first that is no less than the highest bar.
 * @param most the height of that bar
 * @param least the smallest step between two of them: 1 for what is counted, which has no halves
 */
function ticksTo(most: number, least: number): number[] {
  if (most <= 0) return [0, 1]
  const rough = Math.max(least, most / FEWEST_STEPS)
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  const sizes = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude)
  const size = sizes.find((one) => one >= rough && (least === 0 || Number.isInteger(one))) ?? rough
  // A quotient of floats that is a hair above a whole number is that number.
  const count = Math.ceil(most / size - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => index * size)
}
