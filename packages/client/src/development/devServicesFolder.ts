import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder in which each running `npm start` of this user has a file (`DevService`), beside its log. Nobody else may read it. */
export function devServicesFolder(): string {
  const cache = process.env.XDG_CACHE_HOME?.trim()
  return join(cache ? cache : join(homedir(), '.cache'), 'remit', 'npm-start')
}

/** Whether a process runs, whosever it is. EPERM says that it runs and belongs to another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
