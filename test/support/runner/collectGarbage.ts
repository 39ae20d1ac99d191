import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { onTestFinished } from 'vitest'

/** Collects garbage again and again until the test ends: what only weak references hold does not live through it. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('This Node does not let garbage be collected')
  const timer = setInterval(() => collect(), 20)
  onTestFinished(() => clearInterval(timer))
}
