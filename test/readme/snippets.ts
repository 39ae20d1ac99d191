import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TESTED_ELSEWHERE } from './leftOut.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** What README sends its reader on to: it has to work after it. */
export const SECOND = 'docs/start.md'

/** A fenced block of a document. */
export interface Snippet {
  /** Path from the repository's root. */
  readonly file: string
  /** Of its first line, counted from 1. */
  readonly line: number
  /** What stands behind the fence: sh, json, ts, text. */
  readonly language: string
  readonly text: string
}

/** Every document whose snippets are run. The second is followed on the chain that the first leaves behind. */
export function documents(): string[] {
  const below = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !/(^|\/)(node_modules|dist)\//.test(name))
      .map((name) => join(folder, name))
      .toSorted()
  const guides = below('docs').filter((file) => file !== SECOND)
  const all = ['README.md', SECOND, 'packages/client/README.md', ...guides, ...below('examples')]
  return all.filter((file) => !TESTED_ELSEWHERE.some((one) => one.file === file))
}

/** The fenced blocks of a document, in order. */
export function snippetsOf(file: string): Snippet[] {
  const snippets: Snippet[] = []
  let open: { line: number; language: string; indent: string; lines: string[] } | undefined
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    const [, indent = '', language] = /^( *)```(.*)$/.exec(line) ?? []
    if (language === undefined) {
      open?.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line.trimStart())
    } else if (open === undefined) {
      open = { line: index + 2, language: language.trim(), indent, lines: [] }
    } else {
      const { line: first, language: named, lines } = open
      snippets.push({ file, line: first, language: named, text: `${lines.join('\n')}\n` })
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`${file}:${open.line - 1}: a fence is never closed`)
  return snippets
}

export const placeOf = ({ file, line }: Snippet) => `${file}:${line}`
