import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'

interface TermProps {
  /** What the word means, in a sentence or two. */
  readonly means: ComponentChildren
  readonly children: ComponentChildren
}

/**
 * A word that not everybody knows. What it means is shown on hover, on focus and on a tap; Escape, a second tap and a
 * tap elsewhere hide it.
 *
 * A mouse at rest, below which the page moves the word, must not open it: only a mouse that moves does. A finger leaves
 * the word as soon as it has tapped, and a tap gives no focus in Safari: so there only clicks count.
 */
export function Term({ means, children }: TermProps) {
  const id = useId()
  const isOpen = useSignal(false)
  /** Whether a mouse has come over the word and not moved there yet. */
  const hasArrived = useRef(false)
  /** Whether it was open when a finger touched it: the touch gives the focus, which opens it, before the click comes. */
  const wasOpen = useRef(false)
  const word = useRef<HTMLSpanElement>(null)
  const tip = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const shown = tip.current
    if (!isOpen.value || shown === null) return
    // It begins at its word, below it, and is moved where it would leave the window.
    shown.style.transform = ''
    shown.classList.remove('term__tip--above')
    const { right, bottom } = shown.getBoundingClientRect()
    shown.classList.toggle('term__tip--above', bottom > document.documentElement.clientHeight)
    const beyond = right - document.documentElement.clientWidth + 12
    if (beyond > 0) shown.style.transform = `translateX(${-beyond}px)`
  })
  useEffect(() => {
    if (!isOpen.value) return
    const hide = ({ target }: Event) => {
      if (!(target instanceof Node && word.current?.contains(target))) isOpen.value = false
    }
    document.addEventListener('pointerdown', hide)
    return () => document.removeEventListener('pointerdown', hide)
  }, [isOpen.value])
  const set = (open: boolean) => () => {
    isOpen.value = open
  }
  return (
    <span
      class="term"
      ref={word}
      onPointerEnter={({ pointerType }) => {
        hasArrived.current = pointerType === 'mouse'
      }}
      onPointerMove={() => {
        if (hasArrived.current) isOpen.value = true
        // What Escape has hidden stays hidden until the mouse comes anew.
        hasArrived.current = false
      }}
      onPointerLeave={({ pointerType }) => {
        if (pointerType === 'mouse') isOpen.value = false
      }}
    >
      <button
        type="button"
        class="term__word"
        aria-describedby={id}
        onPointerDown={({ pointerType }) => {
          wasOpen.current = pointerType !== 'mouse' && isOpen.value
        }}
        onFocus={set(true)}
        onBlur={set(false)}
        onClick={() => {
          isOpen.value = !wasOpen.current
          wasOpen.current = false
        }}
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
