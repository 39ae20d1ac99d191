import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where each running `npm start` of this user is written down, beside its log. Nobody else may read it. */
export function devServicesFolder(): string {
  const cache = process.env.XDG_CACHE_HOME?.trim()
  return join(cache ? cache : join(homedir(), '.cache'), 'remit', 'npm-start')
}

/** Whether a process runs; another user's is one too. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
