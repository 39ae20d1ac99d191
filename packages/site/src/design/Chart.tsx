import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { currentTheme } from '../page/theme.ts'
import { Button } from './Button.tsx'
import type { Drawing } from './drawChart.ts'

interface ChartProps extends Drawing {
  /** What is shown, for those who do not see it. */
  readonly caption: string
  /** The same as a table: for screen readers, and for everybody who wants numbers. */
  readonly table: ComponentChildren
}

/** A chart with the same facts as a table. Its library is loaded when the chart comes into sight. */
export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const isTable = useSignal(false)
  const theme = currentTheme()
  const { times, series } = props
  useEffect(() => {
    const element = place.current
    if (element === null || isTable.value) return undefined
    let drawn: { destroy(): void } | undefined
    let isGone = false
    const watch = new IntersectionObserver(async ([entry]) => {
      if (!entry?.isIntersecting) return
      watch.disconnect()
      const { draw } = await import('./drawChart.ts')
      if (!isGone) drawn = draw(element, props)
    })
    watch.observe(element)
    return () => {
      isGone = true
      watch.disconnect()
      drawn?.destroy()
    }
  }, [times, series, isTable.value, theme])
  return (
    <figure class="chart">
      <div class="row row-apart">
        <ul class="chart__legend">
          {series.map(({ label, tone }) => (
            <li key={label} class={`chart__key chart__key--${tone}`}>
              {label}
            </li>
          ))}
        </ul>
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
        props.table
      ) : (
        <div ref={place} class="chart__place" role="img" aria-label={props.caption} />
      )}
      <figcaption class="unseen">{props.caption}</figcaption>
    </figure>
  )
}
