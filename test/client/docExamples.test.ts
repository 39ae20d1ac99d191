import { createClient } from '@remit/client/testing/createClient'
import { operations } from '@remit/client/testing/generated/operations'
import { expect, it } from 'vitest'
import { compileExamples, docExamples } from './docExamples.ts'

const examples = docExamples()
const wrong = { place: 'a wrong example', code: 'await client.subscribe({ ids: id }).send(wallet)' }
const problems = await compileExamples([...examples, wrong])

it.each(examples)('the example at $place compiles against the client’s types', ({ place }) => {
  expect(problems.get(place)).toEqual([])
})

it('notices an example that does not compile', () => {
  expect(problems.get(wrong.place)).toEqual([expect.stringContaining("'ids' does not exist")])
})

// What an operation takes and answers is declared; its examples are recorded, in the reference.
const client = createClient({ url: 'https://remit.example' })
const flows = Object.keys(client).filter((name) => !(name in operations))
const remit = Object.keys(client.remit())
const places = ['createClient', ...flows, ...remit, 'findDevService']

it.each(places)('has an example of %s', (name) => {
  const isGroup = ['each', 'events', 'watch', 'verify'].includes(name)
  const use = new RegExp(isGroup ? `\\bclient\\.${name}\\.\\w+\\(` : `\\b${name}\\(`)
  expect(examples.some(({ code }) => use.test(code))).toBe(true)
})
