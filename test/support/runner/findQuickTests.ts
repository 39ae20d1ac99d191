import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/** What starts programs, or speaks to a database or a browser. A test that imports one of them, however far, is slow. */
const SLOW_PACKAGES = ['node:child_process', 'libsql', 'pg', 'ioredis', 'playwright-core']

/** The client under its own name is a file of this repository. */
const CLIENT = { name: '@remit/client', entry: 'client/src/index.ts' }

/** The specifiers of all imports and re-exports but those of types alone. */
const IMPORTS = /^(?:import|export) (?!type )(?:[^'"]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm

/** The test files in these folders that need no chain, no store, no browser and no other program. */
export function findQuickTests(folders: readonly string[]): string[] {
  const read = new Map<string, readonly string[]>()
  const importsOf = (file: string) => {
    const imports = read.get(file) ?? readImports(file)
    read.set(file, imports)
    return imports
  }
  const isQuick = (test: string) => {
    const reached = new Set([test])
    // A set may grow while it is walked.
    for (const file of reached) for (const imported of importsOf(file)) reached.add(imported)
    return SLOW_PACKAGES.every((name) => !reached.has(name))
  }
  return folders.flatMap(testsIn).filter(isQuick)
}

/** What a file imports: paths from the root of the repository, and packages by their names. */
function readImports(file: string): string[] {
  const path = join(root, file)
  if (!/\.m?ts$/.test(file) || !existsSync(path)) return []
  return [...readFileSync(path, 'utf8').matchAll(IMPORTS)].map(([, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? ''
    if (specifier === CLIENT.name) return CLIENT.entry
    return specifier.startsWith('.') ? relative(root, resolve(dirname(path), specifier)) : specifier
  })
}

function testsIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testsIn(path)
    return entry.name.endsWith('.test.ts') ? [path] : []
  })
}
