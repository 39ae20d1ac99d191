import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { VARIABLES } from '@remit/service/testing/configuration/variables'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string) => readFileSync(join(root, 'docs', name), 'utf8')
const guides = ['run.md', 'configure.md', 'alarms.md', 'nodes.md'].map((name) => ({ name, text: read(name) }))
const guide = guides.map(({ text }) => text).join('\n')
const sources = ['packages/engine/src', 'packages/service/src']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n')
  // As the guide writes what stands there in each case.
  .replaceAll(/\$\{[^}]*\}/g, '…')

/** The first cells of a table below a heading's row. */
function firstCells(heading: string): string[] {
  const lines = guide.split('\n')
  const from = lines.findIndex((line) => line.startsWith(`| ${heading} `))
  const rows = lines.slice(from + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => line.split('|')[1]?.trim() ?? '')
}

function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

describe('the operators’ guides', () => {
  it('names variables, codes and metrics that there are', () => {
    const names = [...guide.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:_<id>)?)(?:=[^`]*)?`/g)].map(
      ([, name = '']) => name,
    )
    const declared = new Set(VARIABLES.map(({ name }) => name))
    const unknown = names.filter(
      (name) => !declared.has(name.replace(/_8453$/, '_<id>')) && !sources.includes(`'${name}'`),
    )
    expect(names.length).toBeGreaterThan(80)
    expect([...new Set(unknown)]).toEqual([])
    const metrics = [...guide.matchAll(/`(remit_[a-z_]+)`/g)].map(([, name = '']) => name)
    expect(metrics.length).toBeGreaterThan(15)
    const untold = metrics.filter(
      (name) => !sources.includes(`'${name}'`) && !sources.includes(name.replace(/^remit_/, '')),
    )
    expect(untold).toEqual([])
  })

  it.each([...firstCells('it says'), ...firstCells('message')])(
    'tells of an alarm or a warning as it is worded: %s',
    (cell) => {
      const parts = cell.split(/…|;|\(|,|\bn of chain\b/).map((part) => part.trim())
      const fixed = parts
        .map((part) =>
          part.replace(/^(the index|the sweep of verdicts|looking up providers|DNS_RESOLVER) (?=fails)/, ''),
        )
        .filter((part) => part.length > 4)
      expect(fixed.length).toBeGreaterThan(0)
      expect(fixed.filter((part) => !sources.includes(part))).toEqual([])
    },
  )

  it('tell what to do about every rule of Prometheus', () => {
    const rules = [...readFileSync(join(root, 'deploy/alerts.yml'), 'utf8').matchAll(/- alert: (\w+)/g)]
    expect(rules.length).toBeGreaterThan(0)
    for (const [, name = ''] of rules) expect(read('alarms.md')).toContain(`\`${name}\``)
  })

  it.each(guides)('link to headings and files that there are: $name', ({ name, text }) => {
    const anchors = anchorsOf(text)
    expect(new Set(anchors).size).toBe(anchors.length)
    for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      expect(existsSync(join(root, 'docs', file)), target).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(read(file || name)), target).toContain(anchor)
    }
  })
})
