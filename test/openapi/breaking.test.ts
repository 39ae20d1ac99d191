import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  DECIDED_BREAKS_PATH,
  RELEASED_OPENAPI_PATH,
  releasedOpenApi,
} from '../../deploy/release/releasedOpenApi.ts'
import { findProgram } from '../support/programs/installed.ts'

const OASDIFF = findProgram('oasdiff')

const folder = mkdtempSync(join(tmpdir(), 'remit-breaking-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const Schema = z.looseObject({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()),
})
const Document = z.looseObject({
  paths: z.record(
    z.string(),
    z.looseObject({ get: z.looseObject({ parameters: z.array(z.unknown()).optional() }).optional() }),
  ),
  components: z.looseObject({ schemas: z.looseObject({ Subscription: Schema, Token: Schema }) }),
})

function written(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const now = releasedOpenApi('0.0.0')
const nowFile = written('now.json', now)

const Found = z.array(z.object({ operation: z.string(), path: z.string(), text: z.string(), id: z.string() }))

/** What oasdiff calls breaking between two documents and is not decided, in the words that decide it. */
async function breaks(base: string, revision: string, decided: string): Promise<string[]> {
  const args = [
    'breaking',
    base,
    revision,
    '--err-ignore',
    decided,
    '--warn-ignore',
    decided,
    '--format',
    'json',
  ]
  const { stdout } = await promisify(execFile)(OASDIFF ?? '', args, { maxBuffer: 64 * 1024 * 1024 })
  return Found.parse(JSON.parse(stdout)).map(
    ({ operation, path, text, id }) => `${operation} ${path} ${text} [${id}]`,
  )
}

describe.skipIf(OASDIFF === undefined)('the OpenAPI document, beside that of the last release', () => {
  it('breaks nothing that callers depend on, but what deploy/release/decidedBreaks.txt names', async () => {
    expect(await breaks(RELEASED_OPENAPI_PATH, nowFile, DECIDED_BREAKS_PATH)).toEqual([])
  })

  it('would be said to break, by name and until that is decided, with a route, a parameter, a field and a type changed', async () => {
    const document = Document.parse(JSON.parse(now))
    const { paths, components } = document
    delete paths['/subscriptions/due']
    const since = { name: 'since', in: 'query', required: true, schema: { type: 'integer' } }
    paths['/approved-tokens']?.get?.parameters?.push(since)
    const { properties, required } = components.schemas.Subscription
    delete properties.amount
    required.splice(required.indexOf('amount'), 1)
    components.schemas.Token.properties.decimals = { type: 'string' }

    const changed = written('changed.json', JSON.stringify(document))
    const found = await breaks(nowFile, changed, written('none.txt', ''))
    for (const named of [
      'GET /subscriptions/due api path removed without deprecation [api-path-removed-without-deprecation]',
      'GET /approved-tokens added the new required `query` request parameter `since` ',
      'GET /subscriptions/{id} removed the required property `subscription/amount` from the response ',
      'GET /webhook/payment.succeeded ',
    ]) {
      expect(found).toContainEqual(expect.stringContaining(named))
    }
    expect(await breaks(nowFile, changed, written('decided.txt', found.join('\n')))).toEqual([])
  })
})

it('is kept without its sentences and examples, which may change at any time', () => {
  const released = readFileSync(RELEASED_OPENAPI_PATH, 'utf8')
  expect(released).not.toMatch(/"(description|summary)": "|"examples?": \{\s*"recorded"/)
})
