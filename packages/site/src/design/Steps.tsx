import type { ComponentChildren } from 'preact'

export interface Step {
  readonly label: string
  readonly state: 'ahead' | 'now' | 'done' | 'failed'
  readonly note?: ComponentChildren
}

/** The states as screen readers say them. */
const SAID = { ahead: 'not yet', now: 'in progress', done: 'done', failed: 'failed' } as const

/** The progress of several steps. Screen readers announce each change. */
export function Steps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol class="steps" aria-live="polite">
      {steps.map(({ label, state, note }, index) => (
        <li key={label} class={`is-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
          <span class="steps__mark" aria-hidden="true">
            {state === 'done' ? '✓' : state === 'failed' ? '!' : index + 1}
          </span>
          <div>
            <span class="steps__label">{label}</span>
            <span class="unseen"> ({SAID[state]})</span>
            {note ? <div class="steps__note">{note}</div> : null}
          </div>
        </li>
      ))}
    </ol>
  )
}
