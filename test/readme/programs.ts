import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { root, type Snippet } from './snippets.ts'

const runFile = promisify(execFile)

/** The blocks of a document that go together: a new program begins where one imports createClient. */
export interface Program {
  readonly name: string
  readonly snippets: readonly Snippet[]
}

/** CommonJS packages, which a reader may use too, call this. */
const COMMON_JS = `import { createRequire as __createRequire } from 'node:module'
const require = __createRequire(import.meta.url)`

/** A part that only a browser can run is held against the types, and not run. */
const IS_FOR_BROWSERS = /\b(window|document)\b/

export function programsOf(snippets: readonly Snippet[]): Program[] {
  const programs: { name: string; snippets: Snippet[] }[] = []
  for (const snippet of snippets.filter(({ language }) => language === 'ts')) {
    const { file, line, text } = snippet
    const last = programs.at(-1)
    if (last === undefined || /^import \{[^}]*\bcreateClient\b/m.test(text)) {
      programs.push({ name: `${file.replaceAll(/[^a-z]/gi, '-')}-${line}`, snippets: [snippet] })
    } else {
      last.snippets.push(snippet)
    }
  }
  return programs
}

const textOf = (snippets: readonly Snippet[]) => `${snippets.map(({ text }) => text).join('')}\nexport {}\n`

/** Puts the programs into the copy and holds them against the client's types. Returns what stands against each. */
export async function checkTypes(
  copy: string,
  programs: readonly Program[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = join(copy, 'snippets')
  mkdirSync(folder, { recursive: true })
  for (const { name, snippets } of programs) writeFileSync(join(folder, `${name}.ts`), textOf(snippets))
  const tsconfig = {
    extends: '../tsconfig.json',
    compilerOptions: {
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      noUnusedLocals: false,
    },
    include: ['*.ts'],
    exclude: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const output = await runFile(tsc, ['-p', folder, '--pretty', 'false'], { cwd: copy }).then(
    ({ stdout }) => stdout,
    (error: unknown) => String(Object(error).stdout),
  )
  const found = output.split('\n').filter((line) => line.trim() !== '')
  const problems = programs.map(({ name }) => {
    return [name, found.filter((line) => line.startsWith(`snippets/${name}.ts(`))] as const
  })
  const known = problems.flatMap(([, lines]) => lines)
  // Details of a message are on indented lines below it.
  const others = found.filter((line) => !known.includes(line) && !line.startsWith(' '))
  if (others.length > 0) throw new Error(others.join('\n'))
  return new Map(problems)
}

/**
 * The command that runs a program, after `checkTypes` has made its folder; empty where nothing of it is for Node.
 * @param fillIn puts what is the reader's own into its place
 */
export async function commandOf(
  copy: string,
  { name, snippets }: Program,
  fillIn: (text: string) => Promise<string>,
): Promise<string> {
  const run = snippets.filter(({ text }) => !IS_FOR_BROWSERS.test(text))
  if (run.length === 0) return ''
  const file = join(copy, 'snippets', `${name}.run.ts`)
  writeFileSync(file, await fillIn(textOf(run)))
  // Over a bundle Node starts in a tenth of the time that it takes with tsx, which has the same translator.
  await build({
    entryPoints: [file],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    tsconfig: join(copy, 'snippets', 'tsconfig.json'),
    outfile: join(copy, 'snippets', `${name}.run.mjs`),
    banner: { js: COMMON_JS },
    logLevel: 'warning',
  })
  return `node snippets/${name}.run.mjs </dev/null`
}
