import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOOL_PROFILES } from '@remit/engine/declare/operation'
import { PRECONDITION_CODES, WARNING_CODES } from '@remit/engine/schema/codes'
import { operations } from '@remit/service/operations/index'
import { readErrors } from '@remit/service/testing/clientGenerator/emitContract'
import { readGuides } from '@remit/service/testing/surfaces/site/readGuides'
import { describe, expect, it } from 'vitest'

const guides = readGuides('docs')
const each = guides.map((guide) => [guide.name, guide] as const)

/** What GitHub and every Markdown reader make of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const anchors = new Map(
  guides.map(({ name, markdown }) => [
    `${name}.md`,
    new Set([...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))),
  ]),
)

describe('the guides', () => {
  it('begin where a reader begins', () => {
    expect(guides.map(({ name }) => name).slice(0, 5)).toEqual([
      'start',
      'traps',
      'prepare',
      'history',
      'errors',
    ])
  })

  it.each(each)('%s says in its first sentence what it is for', (_name, { title, note }) => {
    expect(title).toMatch(/^\S/)
    expect(note).toMatch(/^[^\n]{20,250}[.!?]$/)
  })

  it.each(each)('%s links to what there is', (name, { markdown }) => {
    for (const [, target = ''] of markdown.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      const known = anchors.get(file === '' ? `${name}.md` : file)
      expect(known, `${name} → ${target}`).toBeDefined()
      if (anchor !== undefined) expect(known, `${name} → ${target}`).toContain(anchor)
    }
  })

  it.each(each)(
    '%s links outside only to what is in the repository, and not where it is served',
    (name, guide) => {
      const source = readFileSync(join('docs', `${name}.md`), 'utf8')
      for (const [, target = ''] of source.matchAll(/\]\((\.\.\/[^)\s#]+)/g)) {
        expect(existsSync(join('docs', target)), `${name} → ${target}`).toBe(true)
      }
      expect(guide.markdown).not.toContain('](../')
    },
  )

  it.each(each)('%s calls only routes that there are', (name, { markdown }) => {
    const routes = operations.flatMap(({ rest, files }) =>
      [rest?.path ?? [], files.map(({ path }) => path)].flat(),
    )
    const patterns = routes.map((path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`))
    for (const path of calledPaths(markdown)) {
      const known = path === '/mcp' || patterns.some((pattern) => pattern.test(path))
      expect(known, `${name} calls ${path}`).toBe(true)
    }
  })
})

/** The paths behind a service's address in shell commands. */
function calledPaths(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm)].map(([, code = '']) => code)
  return blocks.flatMap((code) =>
    [...code.matchAll(/curl [^\n|]*?(?:localhost:3000|127\.0\.0\.1:3000|\$remit)(\/[^\s'"?|>;)]*)/g)].map(
      ([, path = '']) => path,
    ),
  )
}

it('finds the calls in the guides, so that the checks above have something to check', () => {
  const paths = guides.flatMap(({ markdown }) => calledPaths(markdown))
  expect(paths).toContain('/prepare/subscribe_by_id')
  expect(paths.length).toBeGreaterThan(10)
})

it.each([
  ['tool', 'Tools', operations.filter(({ tool }) => tool).map(({ name }) => name)],
  ['profile', 'Fewer tools', [...TOOL_PROFILES]],
])('names every %s on the page about tools, and no other', (_what, heading, known) => {
  const markdown = guides.find(({ name }) => name === 'mcp')?.markdown ?? ''
  const section = markdown.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  expect(named.toSorted()).toEqual(known.toSorted())
})

async function declaredErrors(): Promise<string[]> {
  const declared = (await readErrors()).map(({ status, code }) => `${status} ${code}`)
  return [...new Set(declared)].sort()
}

function tableCodes(markdown: string, heading: string): string[] {
  const section = markdown.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^\| (?:(\d{3}) +\| )?`([A-Z_]+)`/gm)].map(([, status, code]) =>
    [status, code].filter(Boolean).join(' '),
  )
}

describe('the page of errors', () => {
  const markdown = guides.find(({ name }) => name === 'errors')?.markdown ?? ''

  it('lists every error that the code declares and no other', async () => {
    const declared = await declaredErrors()
    expect(declared.length).toBeGreaterThan(20)
    expect(tableCodes(markdown, 'Codes').sort()).toEqual(declared)
  })

  it('lists every precondition and every warning that there is, and no other', () => {
    expect(tableCodes(markdown, 'Preconditions').toSorted()).toEqual([...PRECONDITION_CODES].toSorted())
    expect(tableCodes(markdown, 'Warnings').toSorted()).toEqual([...WARNING_CODES].toSorted())
  })
})
