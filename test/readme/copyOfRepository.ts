import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { useBundle } from '../support/programs/useBundle.ts'
import { root } from './snippets.ts'

/** Neither run by documents nor small. */
const LEFT = ['node_modules', '.git', 'data', 'dist', 'test', 'bench', 'subgraph', 'coverage']

/** Where commands are in the copy that a reader has installed. */
export const COMMANDS = '.commands'

/** Programs that translate something themselves, by a package that cannot be bundled. */
const NOT_BUNDLED = /^examples\/browser\//

/**
 * The repository as a reader has it after installing, in a folder where commands may leave files behind.
 * @param commands all that documents run, for the programs that are started in them
 * @param asWritten how many programs npm and npx each start as they are written
 */
export async function useCopyOfRepository(commands: readonly string[], asWritten: number): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'remit-readme-'))
  afterAll(() => rmSync(copy, { recursive: true, force: true }))
  for (const name of readdirSync(root)) {
    if (LEFT.includes(name)) continue
    const isKept = (path: string) => !/\/(node_modules|dist)$/.test(path)
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: isKept })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  mkdirSync(join(copy, COMMANDS))
  const command = (name: string, script: string) =>
    writeFileSync(join(copy, COMMANDS, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  // The command that comes with the client, as it is found once that is installed.
  command('remit', `exec node ${await useBundle('packages/client/src/cli/main.ts')} "$@"`)
  const { scripts, files } = programsIn(commands)
  command('npm', await starter('npm', asWritten, scripts, (name) => `"run ${name} "*`))
  command('npx', await starter('npx', asWritten, files, (name) => `"tsx ${name} "*`))
  return copy
}

/** The scripts of package.json, and the files for tsx, that these commands start: each with the file of its program. */
function programsIn(commands: readonly string[]) {
  const scripts = new Map<string, string>()
  const files = new Map<string, string>()
  for (const command of commands) {
    const [, name = ''] = /^npm run (?:-s )?(\S+)/.exec(command) ?? []
    const known: Readonly<Record<string, string>> = packageJson.scripts
    const [, ofScript] = /^tsx (\S+\.ts)$/.exec(known[name] ?? '') ?? []
    if (ofScript !== undefined) scripts.set(name, ofScript)
    const [, file] = /^npx tsx (\S+\.ts)/.exec(command) ?? []
    if (file !== undefined) files.set(file, file)
  }
  return { scripts, files }
}

/**
 * npm or npx. It starts the first programs as they are written; the others then come from their bundles, in a tenth of
 * the time: with tsx a program reads its own thousand files first.
 */
async function starter(
  name: string,
  asWritten: number,
  programs: ReadonlyMap<string, string>,
  pattern: (name: string) => string,
): Promise<string> {
  const cases: string[] = []
  for (const [written, file] of programs) {
    const program = NOT_BUNDLED.test(file) ? `--import tsx ${file}` : await useBundle(file)
    cases.push(`  ${pattern(written)}) program="${program}" ;;`)
  }
  return `first=$1
[ "$2" = -s ] && second=$3 || second=$2
program=
case "$first $second " in
${cases.join('\n')}
  *) ;;
esac
if [ -n "$program" ]; then
  started=$(dirname "$0")/started-${name}
  echo >> "$started"
  if [ "$(wc -l < "$started")" -gt ${asWritten} ]; then
    [ "$2" = -s ] && shift
    shift 2
    [ "$1" = -- ] && shift
    exec node $program "$@"
  fi
fi
export PATH="\${PATH#*:}"
exec ${name} "$@"`
}
