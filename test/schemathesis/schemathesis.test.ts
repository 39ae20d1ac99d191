import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useLife } from '../parity/life.ts'
import { findBuilt } from '../support/programs/installed.ts'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import { indexed } from '../support/service/indexed.ts'
import { ADMIN_SECRET, useTestService } from '../support/service/testService.ts'

const PROGRAM = join(import.meta.dirname, '.venv/bin/schemathesis')
const isInstalled =
  findBuilt('schemathesis (test/support/README.md tells how to install it)', PROGRAM) !== undefined

/** Inputs of each kind for each operation, beside what covers each schema: some 6,000 requests, and some 20,000 at night. */
const EXAMPLES = trials({ short: 3, nightly: 60 })

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
]

const life = await useLife()
const service = await useTestService([life.chain])
await indexed(service, life.chain)

/**
 * What it prints. It ends with 1 where it found something, and also where Python 3.11 trips over a lambda of its own beside
 * another thread ("AST constructor recursion depth mismatch"): then it is run again.
 */
async function runSchemathesis(
  args: readonly string[],
): Promise<{ readonly code: unknown; readonly text: string }> {
  const options = { cwd: import.meta.dirname, maxBuffer: 64 * 1024 * 1024 }
  for (let tries = 1; ; tries += 1) {
    const told = await new Promise<{ code: unknown; text: string }>((resolve) => {
      execFile(PROGRAM, args, options, (error, text) =>
        resolve({ code: error === null ? 0 : error.code, text }),
      )
    })
    if (tries === 3 || !told.text.includes('AST constructor recursion depth mismatch')) return told
  }
}

const Made = z.object({ token: z.string() })

describe.skipIf(!isInstalled)('schemathesis, which makes requests of /openapi.json', () => {
  it(
    'finds no 5xx, no answer outside its schema, no status that is not documented, and no bad input that is taken',
    async () => {
      const init = { headers: { 'X-Service-Admin-Key': ADMIN_SECRET } }
      const { body } = await service.post('/developer/keys', { subjectId: 'schemathesis' }, init)
      const { code, text } = await runSchemathesis([
        'run',
        `${service.url}/openapi.json`,
        ...['--url', service.url, '--header', `X-API-Key: ${Made.parse(body).token}`],
        ...['--phases', 'examples,coverage,fuzzing,stateful', '--max-examples', String(EXAMPLES)],
        ...['--checks', CHECKS.join(), '--seed', '1', '--workers', '1', '--no-shrink'],
        // A stream does not end, and a long poll may take 30 s.
        ...['--exclude-path', '/events/stream', '--request-timeout', '45', '--warnings', 'off'],
      ])
      expect(text).toContain('Test cases:')
      expect(code, text.slice(-10_000)).toBe(0)
    },
    trialsTimeoutMs(300_000),
  )
})
