import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * The one button of a step. On a phone it stays in sight, at the lower edge of the screen. The page's end, and what the
 * keyboard comes to, keep above it however many lines it has.
 */
export function MainAct({ children }: { readonly children: ComponentChildren }) {
  const bar = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = bar.current
    if (element === null) return
    const { style } = document.documentElement
    const sizes = new ResizeObserver(() => style.setProperty('--main-act', `${element.offsetHeight}px`))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      style.removeProperty('--main-act')
    }
  }, [])
  return (
    <div class="main-act" ref={bar}>
      {children}
    </div>
  )
}
