import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/** What starts programs, or speaks to a database. A test that imports none of them, however far, runs in a moment. */
const SLOW_PACKAGES = ['node:child_process', 'libsql', 'pg', 'ioredis']

/** What starts a program that Node does not bring: Postgres, Redis, geth, a browser, the service as a process. */
const PROGRAMS = 'test/support/programs/'
const BROWSER = 'playwright-core'

/** The door to both stores: its suites run over SQLite in `npm test`, and over Postgres in the long run. */
const BOTH_STORES = 'test/support/stores/describeStores.ts'

/** The specifiers of all imports and re-exports but those of types alone, and of imports that a program writes. */
const IMPORTS = /^(?:import|export) (?!type )(?:[^'"]*? from )?'([^'$]+)'|\bimport\('([^'$]+)'\)/gm

/** The test files of each run, as paths from the root of the repository. */
export interface SortedTests {
  /** Need no chain, no store and no other program. */
  readonly quick: readonly string[]
  /** Need Node alone: anvil, SQLite, memory. */
  readonly main: readonly string[]
  /** Are among `main`, and run over Postgres in the long run. */
  readonly bothStores: readonly string[]
  /** Start a program that Node does not bring, or stand in a folder named `long`. */
  readonly long: readonly string[]
  /** Stand below `packages/contracts/`. */
  readonly contracts: readonly string[]
}

/** Sorts the tests below these folders by where they stand and by what they import, directly or not. */
export function sortTests(folders: readonly string[]): SortedTests {
  const read = new Map<string, readonly string[]>()
  const importsOf = (file: string) => {
    const imports = read.get(file) ?? readImports(file)
    read.set(file, imports)
    return imports
  }
  const startsOne = (file: string) => importsOf(file).includes('node:child_process')
  const sorted = { quick: [], main: [], bothStores: [], long: [], contracts: [] } as Record<
    keyof SortedTests,
    string[]
  >
  for (const test of folders.flatMap(testsIn)) {
    const reached = new Set([test])
    // A set may grow while it is walked.
    for (const file of reached) {
      if (file !== BOTH_STORES) for (const imported of importsOf(file)) reached.add(imported)
    }
    const startsPrograms = [...reached].some((file) => isProgram(file) || (isTests(file) && startsOne(file)))
    if (test.startsWith('packages/contracts/')) sorted.contracts.push(test)
    else if (startsPrograms || test.includes('/long/')) sorted.long.push(test)
    else if (reached.has(BOTH_STORES)) {
      sorted.main.push(test)
      sorted.bothStores.push(test)
    } else if (SLOW_PACKAGES.some((name) => reached.has(name))) sorted.main.push(test)
    else sorted.quick.push(test)
  }
  return sorted
}

function isProgram(file: string): boolean {
  return file.startsWith(PROGRAMS) || file === BROWSER
}

/** Whether a file is a test, or is there for tests alone. What else starts a program starts anvil. */
function isTests(file: string): boolean {
  return file.startsWith('test/') || file.endsWith('.test.ts')
}

/** What a file imports: paths from the root of the repository, and packages by their names. */
function readImports(file: string): string[] {
  const path = join(root, file)
  if (!/\.m?tsx?$/.test(file) || !existsSync(path)) return []
  return [...readFileSync(path, 'utf8').matchAll(IMPORTS)].map(([, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? ''
    if (specifier.startsWith('.')) return relative(root, resolve(dirname(path), specifier))
    // A package of this repository by its name: the file behind the door.
    return specifier.startsWith('@remit/') ? relative(root, doorOf(specifier, path)) : specifier
  })
}

function doorOf(specifier: string, importer: string): string {
  return realpathSync(createRequire(importer).resolve(specifier))
}

function testsIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testsIn(path)
    return entry.name.endsWith('.test.ts') ? [path] : []
  })
}
