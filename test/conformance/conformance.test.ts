import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useFixtureServer } from './fixtureServer.ts'
import { conformanceIsInstalled, judge, listScenarios } from './suites.ts'

/** They need a tool that asks its client for something. */
const BEYOND_US = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
])

/** The names of a table of docs/mcp.md, by its heading's first cell. */
function documented(table: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')
  const [, rows = ''] = new RegExp(`^\\| ${table} .*\\n((?:\\|.*\\n)+)`, 'm').exec(text) ?? []
  return [...rows.matchAll(/`([\w-]+)`/g)].map(([, name]) => name ?? '')
}

const url = await useFixtureServer()
const [passed, notOffered] = [documented('passed'), documented('not offered')]

describe.skipIf(!conformanceIsInstalled)('MCP’s conformance suites', () => {
  it('list no scenario that docs/mcp.md does not name, in one place', async () => {
    expect([...passed, ...notOffered].toSorted()).toEqual((await listScenarios()).toSorted())
  })

  it('pass in every scenario of what is declared', async () => {
    const checks = await judge(url, passed)
    const failures = checks
      .filter(({ id, status }) => status === 'FAILURE' && !BEYOND_US.has(id))
      .map(({ suite, id, errorMessage }) => `${suite}: ${id}: ${errorMessage}`)
    const successes = new Set(
      checks.flatMap(({ status, scenario }) => (status === 'SUCCESS' ? [scenario] : [])),
    )
    expect(failures).toEqual([])
    expect([...successes].toSorted()).toEqual(passed.toSorted())
  }, 120_000)
})

it('are named in docs/mcp.md with the checks that are beyond this server', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')
  for (const id of BEYOND_US) expect(text).toContain(`\`${id}\``)
})
