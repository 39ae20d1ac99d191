import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Set to say that the machine has Node alone, whatever it has (`.ci/bare`). */
const IS_BARE = process.env.TEST_WITHOUT_PROGRAMS === 'true'

/**
 * The path of a server's program, or `undefined` where it is not installed: what then is left out is said at the end.
 *
 * With CI set, everything must have been installed: there it throws.
 * @param places folders beside PATH where distributions put it
 */
export function findProgram(name: string, places: readonly string[] = []): string | undefined {
  const found = find(name, places)
  if (found === undefined) mustNotBeMissing(name)
  return found
}

/** Chromium, in the form without windows where there is one: it opens a page in half of the time. */
export function findChromium(): string | undefined {
  return find('chromium-headless-shell') ?? findProgram('chromium')
}

function find(name: string, places: readonly string[] = []): string | undefined {
  const folders = IS_BARE ? [] : [...(process.env.PATH ?? '').split(delimiter), ...places]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** The path of a file that a build of its own makes, as `findProgram` does. */
export function findBuilt(what: string, file: string): string | undefined {
  const found = !IS_BARE && existsSync(file) ? file : undefined
  if (found === undefined) mustNotBeMissing(what)
  return found
}

function mustNotBeMissing(what: string): void {
  if (process.env.CI) throw new Error(`${what} is missing, and nothing may be left out here`)
}

/** Servers refuse to run as root: then it is the account that their package made, else whoever runs the tests. */
export function serverAccount(name: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
