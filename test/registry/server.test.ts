import { readFile } from 'node:fs/promises'
import { TOOL_PROFILES } from '@remit/engine/declare/operation'
import { readView } from '@remit/service/testing/surfaces/mcp/readView'
import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import * as z from 'zod'

const read = async (file: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(file, import.meta.url), 'utf8'))

const Entry = z.looseObject({
  $schema: z.string(),
  version: z.string(),
  remotes: z.tuple([
    z.looseObject({
      url: z.string(),
      variables: z.record(
        z.string(),
        z.looseObject({ description: z.string(), default: z.string().optional() }),
      ),
    }),
  ]),
})

const entry = await read('../../server.json')
const { $schema, version, remotes } = Entry.parse(entry)
const [{ url, variables }] = remotes

it('is valid by the registry’s schema of 2025-12-11', async () => {
  const validate = new Ajv({ allErrors: true }).compile(Object(await read('server.schema.json')))
  validate(entry)
  expect(validate.errors).toBeNull()
  expect($schema).toContain('/2025-12-11/')
})

it('has the version of the package', async () => {
  expect(version).toBe(z.object({ version: z.string() }).parse(await read('../../package.json')).version)
})

it('gives an address that the service serves once its variables are filled in', () => {
  const filled = url.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => variables[name]?.default ?? 'remit.example',
  )
  const { profiles } = readView(new Request(filled))
  expect(new URL(filled).pathname).toBe('/mcp')
  expect(profiles).toEqual(['essential'])
  expect(Object.keys(variables)).toEqual(['host', 'tools'])
  expect(variables.tools?.description).toContain(TOOL_PROFILES.join(', '))
})
