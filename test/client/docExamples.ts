import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The code of an `@example` in a comment of the client. */
export interface DocExample {
  /** File and line of the tag, from the repository's root. */
  readonly place: string
  readonly code: string
}

/** What an example may use without saying where it comes from, as its reader has it already. */
const GIVEN = `import type * as remit from '@remit/client'
declare global {
  const createClient: typeof remit.createClient
  const client: remit.Client
  const wallet: remit.Wallet
  const id: \`0x\${string}\`
  const token: \`0x\${string}\`
  const account: \`0x\${string}\`
  const txHash: \`0x\${string}\`
  const blockHash: \`0x\${string}\`
  const proof: remit.PaymentProof
  const request: Request
}
`

/** Every `@example` of the client's sources; generated ones too. */
export function docExamples(): DocExample[] {
  const folder = 'packages/client/src'
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return files
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .flatMap((name) => examplesIn(join(folder, name)))
}

function examplesIn(file: string): DocExample[] {
  const examples: { place: string; lines: string[] }[] = []
  let isOpen = false
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    const [, text] = /^ *\* ?(.*)$/.exec(line) ?? []
    if (text === undefined || text.startsWith('/') || /^@(?!example$)/.test(text)) isOpen = false
    else if (text === '@example') {
      examples.push({ place: `${file}:${index + 1}`, lines: [] })
      isOpen = true
    } else if (isOpen) examples.at(-1)?.lines.push(text)
  }
  return examples.map(({ place, lines }) => ({ place, code: lines.join('\n') }))
}

/** Holds examples against the types that a reader of the package has. Returns what the compiler says, by place. */
export async function compileExamples(
  examples: readonly DocExample[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'remit-examples-'))
  try {
    writeFileSync(join(folder, 'given.ts'), GIVEN)
    for (const [index, { code }] of examples.entries()) {
      writeFileSync(join(folder, `${index}.ts`), `${code}\nexport {}\n`)
    }
    const source = (file: string) => [join(root, 'packages/client/src', file)]
    const tsconfig = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        lib: ['ES2023', 'DOM'],
        // An example may name what comes of it and leave it at that.
        noUnusedLocals: false,
        typeRoots: [join(root, 'node_modules/@types')],
        paths: {
          '@remit/client': source('index.ts'),
          '@remit/client/proofs': source('proofs/index.ts'),
          '@remit/client/gate': source('gate/index.ts'),
          '@remit/client/development': source('development/findDevService.ts'),
        },
      },
      include: ['*.ts'],
      exclude: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    const tsc = join(root, 'node_modules/.bin/tsc')
    const output = await promisify(execFile)(tsc, ['-p', folder, '--pretty', 'false'], { cwd: folder }).then(
      ({ stdout }) => stdout,
      (error: unknown) => String(Object(error).stdout),
    )
    const said = output.split('\n').filter((line) => line.trim() !== '')
    const found = examples.map(({ place }, index) => {
      return [place, said.filter((line) => line.startsWith(`${index}.ts(`))] as const
    })
    const known = found.flatMap(([, lines]) => lines)
    const others = said.filter((line) => !known.includes(line) && !line.startsWith(' '))
    if (others.length > 0) throw new Error(others.join('\n'))
    return new Map(found)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
