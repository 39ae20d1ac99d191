import { Event } from '@remit/engine/presentation/event'
import { operations } from '@remit/service/operations/index'
import { openApiDocument } from '@remit/service/surfaces/openapi/openApiDocument'
import { recordedExamples } from '@remit/service/testing/surfaces/openapi/examples'
import { inPascalCase } from '@remit/service/testing/surfaces/openapi/SchemaBook'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DocumentReader } from './DocumentReader.ts'
import { outline } from './outline.ts'

const ID = 'https://remit.test/openapi.json'

const document = openApiDocument(operations, {
  version: '1.2.3',
  serverUrl: 'https://remit.test',
  examples: recordedExamples(),
})
const shown = new DocumentReader(document).examples()

// Unknown keywords and formats are errors; types may stand in another member of an allOf.
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
ajv.addFormat('uuid', (text) => z.uuid().safeParse(text).success)
ajv.addFormat('date-time', (text) => z.iso.datetime().safeParse(text).success)
ajv.addFormat('uri', (text) => URL.canParse(text))
ajv.addVocabulary(Object.keys(document))
ajv.addSchema({ ...document, $id: ID })

describe('the examples of the OpenAPI document', () => {
  it('stand at every answer, every body and every header', () => {
    const count = (pattern: RegExp) => shown.filter(({ at }) => pattern.test(at)).length
    const routes = operations.flatMap(({ rest }) => rest ?? [])
    const posted = operations.flatMap((operation) => Object.keys(operation.posts))
    // Those of an operation with two routes stand once, under its name.
    expect(count(/\/responses\/(20\d|\w+Answer)\/.*\/examples\/recorded$/)).toBe(routes.length)
    const posts = routes.filter(({ method }) => method === 'POST')
    expect(count(/\/paths\/.*\/requestBody\/.*\/examples\/recorded$/)).toBe(posts.length)
    expect(count(/\/webhooks\/.*\/requestBody\/.*\/examples\/recorded$/)).toBe(posted.length)
    expect(count(/\/components\/headers\/\w+\/example$/)).toBe(8)
  })

  it.each(shown.map((example) => [example.at, example] as const))('%s fits its schema', (_, example) => {
    const validate = ajv.getSchema(`${ID}${encodeURI(example.schemaAt)}`)
    validate?.(example.value)
    expect(validate?.errors).toBeNull()
  })
})

describe('the schemas of the OpenAPI document', () => {
  it('have a name for each object that is one member of a union, from which clients take their types’ names', () => {
    expect(unnamedMembers(document, '#')).toEqual([])
    expect(Object.keys(Components.parse(document).components.schemas)).toEqual(
      expect.arrayContaining(Event.options.map(({ shape }) => `${inPascalCase(shape.type.value)}Event`)),
    )
  })

  it('have no list of types, which not every maker of clients knows', () => {
    expect(JSON.stringify(document)).not.toContain('"type":[')
  })
})

const Components = z.object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })

/** Where a union has an object that is told in place. */
function unnamedMembers(value: unknown, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one, place) => unnamedMembers(one, `${at}/${place}`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'examples' || key === 'example') return []
    const members: readonly unknown[] = ['anyOf', 'oneOf'].includes(key) && Array.isArray(inner) ? inner : []
    const unnamed = members.some((one) => typeof one === 'object' && one !== null && 'properties' in one)
    return [...(unnamed ? [`${at}/${key}`] : []), ...unnamedMembers(inner, `${at}/${key}`)]
  })
}

it('the public shape of the API changes only where its outline is changed with it', async () => {
  await expect(outline(document)).toMatchFileSnapshot('outline.txt')
})
