import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * The main button of a step. On a phone it stays at the lower edge of the screen. Its height goes into `--main-act`, by which
 * the style keeps the page's end, and what has the focus, above it.
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
