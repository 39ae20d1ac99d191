import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { VARIABLES } from '../../src/configuration/variables.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(join(root, 'docs/operate.md'), 'utf8')
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
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

describe('the operators’ guide', () => {
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
        .map((part) => part.replace(/^the index (?=fails)/, ''))
        .filter((part) => part.length > 4)
      expect(fixed.length).toBeGreaterThan(0)
      expect(fixed.filter((part) => !sources.includes(part))).toEqual([])
    },
  )

  it('links to headings and files that there are', () => {
    const anchors = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    )
    expect(new Set(anchors).size).toBe(anchors.length)
    for (const [, target = ''] of guide.matchAll(/\]\(([^)]+)\)/g)) {
      if (target.startsWith('#')) expect(anchors).toContain(target.slice(1))
      else if (!/^https?:/.test(target)) {
        const [file = ''] = target.split('#')
        expect(existsSync(join(root, 'docs', file)), target).toBe(true)
      }
    }
  })
})
