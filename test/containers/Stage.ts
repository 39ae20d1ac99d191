import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What of a Dockerfile's stage outlives its build: a folder that stands for `/`, and how to run in it. */
export interface Stage {
  readonly name: string
  /** The folder that stands for `/`. */
  readonly root: string
  workdir: string
  user: string | undefined
  environment: Record<string, string>
  labels: Record<string, string>
  exposed: number[]
  stopSignal: string | undefined
  healthcheck:
    | { readonly command: readonly string[]; readonly flags: Readonly<Record<string, string>> }
    | undefined
  command: readonly string[] | undefined
}

/** Who a stage's steps are run by, where these tests run as root: nobody special, whom Dockerfile does not name. */
const BUILDER = 65_534

const isRoot = process.getuid?.() === 0

/** The ids to run as in a stage; none where these tests are not root, and then it is whoever runs them. */
export function accountOf(stage: Pick<Stage, 'user'>): { uid: number; gid: number } | undefined {
  if (!isRoot) return undefined
  const [uid = BUILDER, gid = BUILDER] = stage.user === undefined ? [] : idsOf(stage.user)
  return { uid, gid }
}

/** `10001:10001`. Names would need the base image's list of accounts. */
export function idsOf(user: string): [number, number] {
  const match = /^(\d+):(\d+)$/.exec(user)
  if (match === null) throw new Error(`Not two numeric ids: ${user}`)
  return [Number(match[1]), Number(match[2])]
}

/** Gives everything to an owner, where these tests may. */
export function own(path: string, [uid, gid]: readonly [number, number] = [BUILDER, BUILDER]): void {
  if (!isRoot) return
  for (const each of below(path)) chownSync(each, uid, gid)
}

/** Makes a folder and those above it up to the stage's root. */
export function makeFolder(stage: Pick<Stage, 'root'>, path: string): string {
  const folder = join(stage.root, path)
  const missing: string[] = []
  for (let each = folder; !existsSync(each); each = dirname(each)) missing.unshift(each)
  for (const each of missing) {
    mkdirSync(each)
    if (isRoot) chownSync(each, BUILDER, BUILDER)
  }
  return folder
}

/** Takes away every right to write, as `read_only: true` does. */
export function makeReadOnly(path: string): void {
  for (const each of below(path)) {
    const status = lstatSync(each)
    if (!status.isSymbolicLink()) chmodSync(each, status.mode & 0o555)
  }
}

/** Gives the owner the right to write into read-only folders back, so that they can be removed. */
export function makeWritable(folder: string): void {
  const { mode } = lstatSync(folder)
  // What is below folders that can be written to can be, too.
  if (mode & 0o200) return
  chmodSync(folder, mode | 0o700)
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory())) {
    makeWritable(join(folder, name))
  }
}

function* below(path: string): Generator<string> {
  yield path
  if (!lstatSync(path).isDirectory()) return
  for (const name of readdirSync(path)) yield* below(join(path, name))
}
