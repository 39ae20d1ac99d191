import { Window } from 'happy-dom'
import type { ReactNode } from 'react'
import { afterEach, vi } from 'vitest'
import { settled } from './settled.ts'

/** A component that does nothing but call hooks. */
export interface RenderedHook<Result> {
  /** What they gave last. */
  now(): Result
  leave(): void
}

/**
 * Renders hooks without a browser, by React itself.
 *
 * @param within puts what the hooks need around them
 */
export function hookRenderer(): <Result>(
  use: () => Result,
  within: (child: ReactNode) => ReactNode,
) => Promise<RenderedHook<Result>> {
  const leaving: (() => void)[] = []
  afterEach(async () => {
    for (const leave of leaving.splice(0)) leave()
    // React has work left to do, for which it needs its window.
    await settled()
    vi.unstubAllGlobals()
  })
  return async (use, within) => {
    const window = new Window({ url: 'https://shop.example/' })
    vi.stubGlobal('window', window)
    vi.stubGlobal('document', window.document)
    vi.stubGlobal('navigator', window.navigator)
    const [{ createElement }, { createRoot }, { flushSync }] = await Promise.all([
      import('react'),
      import('react-dom/client'),
      import('react-dom'),
    ])
    const seen: ReturnType<typeof use>[] = []
    function Hooks() {
      seen.push(use())
      return null
    }
    // Safe: React asks of it what every document's element has.
    const root = createRoot(window.document.createElement('div') as unknown as Element)
    flushSync(() => root.render(within(createElement(Hooks))))
    const leave = () => root.unmount()
    leaving.push(leave)
    return {
      leave,
      now() {
        if (seen.length === 0) throw new Error('The hooks were not called yet')
        // Safe: there is at least one.
        return seen.at(-1) as ReturnType<typeof use>
      },
    }
  }
}
