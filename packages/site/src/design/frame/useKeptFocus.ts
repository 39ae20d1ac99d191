import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * For a part of a page in which one step replaces another, with the button that was pressed. Whoever had the focus
 * inside keeps it there: it goes to the first heading, or where there is none to the first thing that can be used.
 * @returns a `ref` for the element that stays while its contents change
 */
export function useKeptFocus() {
  const place = useRef<HTMLDivElement>(null)
  // The focus before this rendering. It moves only if it was inside.
  const hadFocus = place.current?.contains(document.activeElement) === true
  useLayoutEffect(() => {
    if (!hadFocus || place.current?.contains(document.activeElement)) return
    const next = place.current?.querySelector<HTMLElement>('h1, h2, h3, a, button, input, select')
    if (next == null) return
    if (/^H\d$/.test(next.tagName)) next.tabIndex = -1
    next.focus()
  })
  return place
}
