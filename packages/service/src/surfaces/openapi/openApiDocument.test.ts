import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { operations } from '../../operations/index.ts'
import { routesOf } from '../rest/routes.ts'
import { recordedExamples } from './examples.ts'
import { openApiDocument } from './openApiDocument.ts'

const folder = mkdtempSync(join(tmpdir(), 'remit-openapi-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const Response = z.looseObject({ description: z.string() })
const Described = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })),
  requestBody: z.unknown().optional(),
  security: z.array(z.record(z.string(), z.unknown())).optional(),
  responses: z.record(z.string(), z.union([Response, z.object({ $ref: z.string() })])),
})
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Described)),
  components: z.looseObject({ responses: z.record(z.string(), Response) }),
})

const document = openApiDocument(operations, {
  version: '1.2.3',
  serverUrl: 'https://remit.test',
  examples: recordedExamples(),
})
const { paths, components } = Document.parse(document)

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
    const inBraces = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}')
    const listed = operations.flatMap(({ name, rest: own, effect, isSecret, files, stream }) => [
      ...routesOf({ rest: own, effect, isSecret }).map(({ method, path }) => {
        const id = method === own?.method ? name : `${name}_by_get`
        return `${id} ${method.toLowerCase()} ${inBraces(path)}`
      }),
      ...files.map((file) => `${file.name} get ${inBraces(file.path)}`),
      ...(stream ? [`${stream.name} get ${stream.path}`] : []),
    ])
    expect(described.sort()).toEqual(listed.sort())
  })

  it('names every status and code that an operation declares', () => {
    for (const { rest, errors } of operations) {
      if (rest === null) continue
      const described = paths[rest.path.replaceAll(/:(\w+)/g, '{$1}')]?.[rest.method.toLowerCase()]
      for (const { status, code } of errors) {
        const response = described?.responses[status]
        const { description } =
          response && '$ref' in response ? sharedResponse(String(response.$ref)) : Response.parse(response)
        expect(description, `${rest.path} ${status}`).toContain(code)
      }
    }
  })

  it('offers the free lane without credentials, and key management to operators and sessions only', () => {
    expect(document.security).toContainEqual({})
    expect(paths['/developer/keys']?.post?.security).toEqual([
      { adminSecret: [] },
      { adminSecretHeader: [] },
      { session: [], sessionSecret: [] },
    ])
  })

  it('tells of each operation which limits it takes from, and whether it is a tool', () => {
    expect(paths['/check_subscribe_readiness_by_id']?.post).toMatchObject({
      description: expect.stringMatching(
        /Takes from `globalRpm` and `dailyTotalRequests`. MCP tool: `check_subscribe_readiness_by_id`, which takes from `globalRpm`, `dailyTotalRequests`, `writeRpm` and `writeDaily`.$/,
      ),
      'x-limits': {
        rest: ['globalRpm', 'dailyTotalRequests'],
        mcp: ['globalRpm', 'dailyTotalRequests', 'writeRpm', 'writeDaily'],
      },
      'x-mcp-tool': 'check_subscribe_readiness_by_id',
    })
    expect(paths['/catalog']?.get).not.toHaveProperty('x-mcp-tool')
    expect(paths['/status']?.get?.['x-limits']).toEqual({ rest: ['dailyTotalRequests'] })
    expect(paths['/developer/keys']?.post?.['x-limits']).toEqual({ rest: [] })
  })

  it('shows operators what operators are told', () => {
    const unauthorized = paths['/developer/keys']?.get?.responses[401]
    expect(unauthorized && sharedResponse(String(unauthorized.$ref))).toMatchObject({
      content: { 'application/json': { examples: { UNAUTHORIZED_operators: expect.anything() } } },
    })
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

function sharedResponse(pointer: string) {
  return Response.parse(components.responses[pointer.replace('#/components/responses/', '')])
}
