const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back once when the signal aborts. The returned function ends that.
 *
 * A signal has one listener for all: one request of a caller may ask nodes many times at once, and from the eleventh
 * listener on Node would warn of a leak.
 */
export function onAbort(signal: AbortSignal, then: () => void): () => void {
  let all = waiting.get(signal)
  if (all === undefined) {
    const callbacks = new Set<() => void>()
    all = callbacks
    waiting.set(signal, callbacks)
    signal.addEventListener(
      'abort',
      () => {
        for (const call of callbacks) call()
      },
      { once: true },
    )
  }
  const call = () => then()
  all.add(call)
  return () => void all.delete(call)
}
