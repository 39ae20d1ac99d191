import { expect, it } from 'vitest'
import { allAudits } from './audits.ts'

const { signal } = new AbortController()

it('several audits keep the result of each until it runs again', async () => {
  let second: string | null | undefined
  let first: string | null | undefined = 'The first differs.'
  const audit = allAudits([async () => first, async () => second])
  expect(await audit(signal)).toBe('The first differs.')
  first = undefined
  second = null
  expect(await audit(signal)).toBe('The first differs.')
  second = undefined
  expect(await audit(signal)).toBeUndefined()
  first = null
  expect(await audit(signal)).toBeNull()
})
