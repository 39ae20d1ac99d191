import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findQuickTests } from './findQuickTests.ts'

const quick = findQuickTests(['src', 'client', 'test'])

it('are those that import nothing that starts a program or speaks to a database', () => {
  expect(quick).toContain('src/protocol/calendar.test.ts')
  expect(quick).toContain('test/support/runner/findQuickTests.test.ts')
})

it.each([
  ['an anvil', 'src/operations/subscriptions/subscriptions.test.ts'],
  ['a database', 'src/history/projection/queries/Cursors.test.ts'],
  ['a browser', 'test/site/reference.test.ts'],
  ['a program by itself', 'src/surfaces/openapi/openApiDocument.test.ts'],
])('are none that start %s, directly or through what they import', (_, file) => {
  expect(existsSync(file)).toBe(true)
  expect(quick).not.toContain(file)
})
