import { useEffect } from 'preact/hooks'

/** While the page is in sight. Payments come once a day at most, so this is soon enough. */
const EVERY_MS = 60_000
/** The shortest time between two readings, for a visitor who goes back and forth between windows. */
const SHORTEST_MS = 5_000

/**
 * Reads again what others may have changed: when somebody comes back to the page, and now and then while they look at
 * it. Nothing is read while the page is out of sight.
 */
export function useFollowing(read: () => void): void {
  useEffect(() => {
    let last = performance.now()
    const look = () => {
      if (document.visibilityState !== 'visible' || performance.now() - last < SHORTEST_MS) return
      last = performance.now()
      read()
    }
    const timer = setInterval(look, EVERY_MS)
    addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [read])
}
