import 'uplot/dist/uPlot.min.css'
import uPlot from 'uplot'

export interface ChartSeries {
  readonly label: string
  readonly tone: 'accent' | 'spark' | 'bad' | 'good'
  readonly kind: 'bars' | 'line'
  readonly values: readonly (number | null)[]
}

export interface Drawing {
  /** Unix seconds. */
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
  /** Such as "USDC". */
  readonly unit: string
}

const HEIGHT = 220

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: '2-digit', timeZone: 'UTC' })
/** What a label takes of the width, with room beside it. */
const LABEL_WIDTH = 84

/** Draws into an element, and follows its width. */
export function draw(place: HTMLElement, { times, series, unit }: Drawing): { destroy(): void } {
  const colour = (name: string) => colourIn(place, name)
  const axis = {
    stroke: colour('quiet'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(place).fontFamily}`,
  }
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: true, range: () => widened(times) },
        y: { range: (_, _least, most) => [0, most <= 0 ? 1 : most * 1.1] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          splits: (chart) => labelled(times, chart.width),
          values: (_, splits) => splits.map(dateWords(times)),
        },
        { ...axis, size: 64, label: unit, labelFont: axis.font, labelSize: 20 },
      ],
      series: [{}, ...series.map((one) => seriesOf(one, colour(one.tone)))],
    },
    [[...times], ...series.map(({ values }) => [...values])],
    place,
  )
  const follow = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT }))
  follow.observe(place)
  return {
    destroy() {
      follow.disconnect()
      chart.destroy()
    },
  }
}

/** A token as the colour that it is there: by itself it stands for one in each theme. */
function colourIn(place: HTMLElement, token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${token})`
  place.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Half a step more at both ends: bars stand around their time. */
function widened(times: readonly number[]): [number, number] {
  const step = stepOf(times)
  return [(times[0] ?? 0) - step * 0.6, (times.at(-1) ?? 0) + step * 0.6]
}

function labelled(times: readonly number[], width: number): number[] {
  const each = Math.ceil(times.length / Math.max(2, Math.floor(width / LABEL_WIDTH)))
  return times.filter((_, index) => (times.length - 1 - index) % each === 0)
}

function dateWords(times: readonly number[]) {
  const format = stepOf(times) > 20 * 86_400 ? MONTH : DAY
  return (seconds: number) => format.format(seconds * 1000)
}

/** The usual distance of two times; the first interval may be cut. */
function stepOf(times: readonly number[]): number {
  return (times.at(-1) ?? 0) - (times.at(-2) ?? (times.at(-1) ?? 0) - 7 * 86_400)
}

function seriesOf({ label, kind }: ChartSeries, stroke: string): uPlot.Series {
  const bars = uPlot.paths.bars?.({ size: [0.6, 40], radius: 0.15 })
  if (kind === 'line' || bars === undefined) return { label, stroke, width: 2, points: { show: false } }
  return { label, stroke, fill: stroke, width: 0, paths: bars, points: { show: false } }
}
