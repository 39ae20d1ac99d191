import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface TermProps {
  /** What the word means, in a sentence or two. */
  readonly means: ComponentChildren
  readonly children: ComponentChildren
}

/**
 * A word that not everybody knows. What it means is shown on hover, on focus and on a tap; Escape hides it.
 *
 * A pointer that rests while the page puts the word below it has asked for nothing: only one that moves opens it.
 */
export function Term({ means, children }: TermProps) {
  const id = useId()
  const isOpen = useSignal(false)
  const hasArrived = useRef(false)
  const tip = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const shown = tip.current
    if (!isOpen.value || shown === null) return
    // It begins at its word, and is moved where it would leave the window.
    shown.style.transform = ''
    const beyond = shown.getBoundingClientRect().right - document.documentElement.clientWidth + 12
    if (beyond > 0) shown.style.transform = `translateX(${-beyond}px)`
  })
  const set = (open: boolean) => () => {
    isOpen.value = open
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only shows what the button inside shows as well
    <span
      class="term"
      onMouseEnter={() => {
        hasArrived.current = true
      }}
      onMouseMove={() => {
        if (hasArrived.current) isOpen.value = true
        // What Escape has hidden stays hidden until the pointer comes anew.
        hasArrived.current = false
      }}
      onMouseLeave={set(false)}
    >
      <button
        type="button"
        class="term__word"
        aria-describedby={id}
        onFocus={set(true)}
        onBlur={set(false)}
        onClick={set(true)}
        onKeyDown={({ key }) => {
          if (key === 'Escape') isOpen.value = false
        }}
      >
        {children}
      </button>
      <span class="term__tip" role="tooltip" id={id} ref={tip} hidden={!isOpen.value}>
        {means}
      </span>
    </span>
  )
}
