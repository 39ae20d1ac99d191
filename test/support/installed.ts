import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * The path of a server's program, or `undefined` where it is not installed, which is said once.
 *
 * With CI set, everything must have been installed: there it throws.
 * @param places folders beside PATH where distributions put it
 */
export function findProgram(name: string, places: readonly string[] = []): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...places]
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (found !== undefined) return found
  if (process.env.CI) throw new Error(`${name} is not installed, and nothing may be left out here`)
  process.stderr.write(`${name} is not installed: the tests that need it are left out\n`)
  return undefined
}

/** Servers refuse to run as root: then it is the account that their package made, else whoever runs the tests. */
export function serverAccount(name: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
