import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { operations } from '../../operations/index.ts'
import { openApiDocument } from './openApiDocument.ts'

const folder = mkdtempSync(join(tmpdir(), 'remit-openapi-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const Described = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })),
  requestBody: z.unknown().optional(),
  security: z.array(z.record(z.string(), z.unknown())).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string() })),
})
const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Described)) })

const document = openApiDocument(operations, { version: '1.2.3', serverUrl: 'https://remit.test' })
const { paths } = Document.parse(document)

describe('the OpenAPI document', () => {
  it('passes a public linter', async () => {
    const path = join(folder, 'openapi.json')
    writeFileSync(path, JSON.stringify(document))
    const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const redocly = join('node_modules', '.bin', 'redocly')
    const linted = promisify(execFile)(redocly, ['lint', path, '--max-problems', '1000'], {
      env: environment,
    })
    const { stderr } = await linted
    expect(stderr).toContain('Your API description is valid')
    expect(stderr).not.toMatch(/You have \d+ warning/)
  }, 60_000)

  it('describes every route of the list and no other', () => {
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    )
    const listed = operations.flatMap(({ name, rest }) =>
      rest === null
        ? []
        : [`${name} ${rest.method.toLowerCase()} ${rest.path.replaceAll(/:(\w+)/g, '{$1}')}`],
    )
    expect(described.sort()).toEqual(listed.sort())
  })

  it('names every status and code that an operation declares', () => {
    for (const { rest, errors } of operations) {
      if (rest === null) continue
      const responses = paths[rest.path.replaceAll(/:(\w+)/g, '{$1}')]?.[rest.method.toLowerCase()]?.responses
      for (const { status, code } of errors) {
        expect(responses?.[status]?.description, `${rest.path} ${status}`).toContain(code)
      }
    }
  })

  it('offers the free lane without credentials, and key management to operators only', () => {
    expect(document.security).toContainEqual({})
    expect(paths['/developer/keys']?.post?.security).toEqual([{ adminSecret: [] }, { adminSecretHeader: [] }])
  })

  it('keeps what travels in the path and in the query out of bodies', () => {
    const history = paths['/subscriptions/{id}/history']?.get
    expect(history?.requestBody).toBeUndefined()
    const places = history?.parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
    expect(places).toEqual(
      expect.arrayContaining(['path id', 'query first', 'query chainId', 'query minBlock']),
    )
  })
})
