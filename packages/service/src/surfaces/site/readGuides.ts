import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Guide {
  /** The file's name without its ending. */
  readonly name: string
  readonly title: string
  /** Its first sentence, which says what the guide is about. */
  readonly note: string
  readonly markdown: string
}

/** The guides that come first, in this order. The others follow by name. */
const FIRST = [
  'start',
  'traps',
  'prepare',
  'history',
  'errors',
  'client',
  'react',
  'command-line',
  'mcp',
  'reading',
  'subscribers',
  'providers',
  'bookkeeping',
  'operator',
]

/** The guides of a folder, in the order in which they are best read. */
export function readGuides(folder: string): Guide[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => toGuide(file.slice(0, -'.md'.length), readFileSync(join(folder, file), 'utf8')))
    .sort((a, b) => placeOf(a) - placeOf(b) || (a.name < b.name ? -1 : 1))
}

function placeOf({ name }: Guide): number {
  const place = FIRST.indexOf(name)
  return place === -1 ? FIRST.length : place
}

/** Throws for a guide without a title or a first paragraph. */
function toGuide(name: string, markdown: string): Guide {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  const paragraph = markdown.split(/\n{2,}/).find((block) => /^[^#\s|`<>-]/.test(block))
  if (title === undefined || paragraph === undefined) {
    throw new Error(`The guide ${name} needs a title and a first paragraph.`)
  }
  const text = paragraph
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  // The first sentence ends before a capital or a backquote: not after "e.g. this".
  const note = /^.*?[.!?](?=\s+[A-Z`]|$)/.exec(text)?.[0] ?? text
  return { name, title, note: note.replace(/\s*:$/, '.'), markdown: withoutLinksOutside(markdown) }
}

/** Links out of the folder work in the repository and not on a service. */
function withoutLinksOutside(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1')
}
