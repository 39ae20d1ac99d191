import { afterAll, vi } from 'vitest'

// Files share their worker's world, so a clock or a global that one has replaced would be the next one's too: tokens
// that are signed now would be of another day.
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
