import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface CardProps {
  readonly title?: ComponentChildren
  /** Beside the title: a link, a badge. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A box around one subject of the page, with its title. */
export function Card({ title, beside, children }: CardProps) {
  const id = useId()
  if (title === undefined) return <div class="card">{children}</div>
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card__head">
        <h2 id={id}>{title}</h2>
        {beside}
      </div>
      {children}
    </section>
  )
}

/** Pairs of a name and its value. Rows that are `undefined` are left out. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [ComponentChildren, ComponentChildren] | undefined)[]
}) {
  return (
    <dl class="facts">
      {rows.map((row, index) =>
        row === undefined ? null : (
          <div key={index}>
            <dt>{row[0]}</dt>
            <dd>{row[1]}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** Something to mind, told beside what it is about. `mind` warns, `bad` is an error, `good` a success. */
export function Note({
  kind,
  children,
}: {
  readonly kind?: 'mind' | 'bad' | 'good'
  readonly children: ComponentChildren
}) {
  return <div class={`note${kind ? ` note--${kind}` : ''}`}>{children}</div>
}

/** A word or two beside a name: the state of what is named. */
export function Badge({
  kind,
  children,
}: {
  readonly kind?: 'mind' | 'bad' | 'good'
  readonly children: ComponentChildren
}) {
  return <span class={`badge${kind ? ` badge--${kind}` : ''}`}>{children}</span>
}
