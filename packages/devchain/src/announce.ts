import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DevService } from '@remit/client/development'
import { devServicesFolder, isRunning } from '@remit/client/development/devServicesFolder'

/** How many files of ended runs are kept, to look at failures. */
const MOST_OLD_LOGS = 5

/** The folder of this user's runs. Creates it if it is missing, and deletes old files of ended runs. */
export function openDevServicesFolder(): string {
  const folder = devServicesFolder()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const ended = readdirSync(folder).filter(
    (name) => /^\d+\.\w+$/.test(name) && !isRunning(Number.parseInt(name, 10)),
  )
  const changedAt = (name: string) => statSync(join(folder, name)).mtimeMs
  const logs = ended.filter((name) => name.endsWith('.log')).sort((a, b) => changedAt(b) - changedAt(a))
  for (const name of [...ended.filter((each) => each.endsWith('.json')), ...logs.slice(MOST_OLD_LOGS)]) {
    rmSync(join(folder, name), { force: true })
  }
  return folder
}

/** Announces a run to the commands and examples that look for it. Returns a function that withdraws it. */
export function announce(
  folder: string,
  service: Omit<DevService, 'pid' | 'folder' | 'startedAt'>,
): () => void {
  const entry: DevService = { ...service, pid: process.pid, folder: process.cwd(), startedAt: Date.now() }
  const path = join(folder, `${process.pid}.json`)
  // Renamed into place, so that a reader never sees half of the file.
  const draft = `${path}.draft`
  writeFileSync(draft, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
  renameSync(draft, path)
  return () => rmSync(path, { force: true })
}
