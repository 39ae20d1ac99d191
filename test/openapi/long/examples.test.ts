import { readFileSync } from 'node:fs'
import { DEFAULT_LIMITS } from '@remit/engine/declare/lanes'
import { operations } from '@remit/service/operations/index'
import { errorsOf } from '@remit/service/testing/surfaces/openapi/errors'
import { recordedExamples } from '@remit/service/testing/surfaces/openapi/examples'
import { describe, expect, it } from 'vitest'
import { EVENT_GUIDES } from '../eventsGuide.ts'
import { ADMIN_SECRET } from '../exampleService.ts'
import { recordExamples } from '../recordExamples.ts'

const committed = recordedExamples()
const routes = operations.flatMap(({ rest, ...operation }) => (rest === null ? [] : [{ ...operation, rest }]))

describe('the recorded examples', () => {
  it('are what the service answers today', async () => {
    const { operations: now, ...shared } = await recordExamples(operations)
    const { operations: then, ...sharedThen } = committed
    const names = [...new Set([...Object.keys(now), ...Object.keys(then)])]
    const changed = names.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(then[name]))
    const advice = 'run `npm run examples -w @remit/testing`, and look at what has changed'
    expect(
      changed.map((name) => now[name]),
      advice,
    ).toEqual(changed.map((name) => then[name]))
    expect(shared, advice).toEqual(sharedThen)
  }, 240_000)

  it.each(routes.map((operation) => [operation.name, operation] as const))(
    '%s: shows an answer of its own, and every error that it may answer',
    (name, operation) => {
      const { answers = [], errors: own = [] } = committed.operations[name] ?? {}
      expect(answers.map(({ status }) => status)).toContain(operation.rest.status ?? 200)
      const shown = [...own, ...committed.errors].map(({ status, code }) => `${status} ${code}`)
      const declared = errorsOf(operation, operation.rest).map(({ status, code }) => `${status} ${code}`)
      expect(declared.filter((error) => !shown.includes(error))).toEqual([])
    },
  )

  it('are of no operation that is not there', () => {
    const names = routes.map(({ name }) => name)
    expect(Object.keys(committed.operations).filter((name) => !names.includes(name))).toEqual([])
  })

  it('are of every type of event, and docs/events.md and docs/webhooks.md show them', () => {
    expect(Object.keys(committed.events)).toEqual(operations.flatMap(({ posts }) => Object.keys(posts)))
    for (const { path, write } of EVENT_GUIDES) {
      const guide = readFileSync(path, 'utf8')
      expect(guide).toBe(write(guide, committed.events))
    }
  })

  it('show an approval before a subscribe, a backlog, and lists that go on', () => {
    const bodyOf = (name: string) => committed.operations[name]?.answers[0]?.body
    expect(bodyOf('prepare_subscribe_by_id')).toMatchObject({ signingMode: 'eip5792' })
    expect(bodyOf('prepare_subscribe_by_id')?.unsignedTransactions).toHaveLength(2)
    expect(bodyOf('check_remit_readiness')).toMatchObject({ details: { expectedTransactions: 3 } })
    expect(bodyOf('get_subscription_history')).toMatchObject({ count: 3, hasMore: true })
  })

  it('show the limits that the service has where nothing is said', () => {
    const { free, developer } = DEFAULT_LIMITS
    expect(committed.operations.get_catalog?.answers[0]?.body).toMatchObject({
      access: { rest: { free: { limits: free }, developer: { limits: developer } } },
    })
  })

  it('hold no key, no secret and no address of a node', () => {
    const text = JSON.stringify(committed)
    expect(text).toContain('svc_…')
    expect(text).not.toMatch(/(svc|whsec)_\w/)
    expect(text).not.toContain(ADMIN_SECRET)
    expect(text).not.toMatch(/127\.0\.0\.1|localhost/)
  })
})
