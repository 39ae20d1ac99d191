import { operations } from '@remit/service/operations/index'
import { openApiDocument } from '@remit/service/surfaces/openapi/openApiDocument'
import { recordedExamples } from '@remit/service/testing/surfaces/openapi/examples'
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
    expect(count(/\/responses\/20\d\/.*\/examples\/recorded$/)).toBe(routes.length)
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

it('the public shape of the API changes only where its outline is changed with it', async () => {
  await expect(outline(document)).toMatchFileSnapshot('outline.txt')
})
