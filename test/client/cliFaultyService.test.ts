import { expect, it } from 'vitest'
import { serve } from '../support/service/serve.ts'
import { runInProcess } from './cliRun.ts'

const id = `0x${'12'.repeat(32)}`
const asOf = { blockNumber: 1, blockHash: id, timestamp: 1 }

/** Runs a command against a service that answers the same to every request. */
async function run(args: readonly string[], answer: object) {
  let asked = 0
  const ending = new AbortController()
  const url = await serve((_request, response) => {
    asked += 1
    // A command that asks without end is ended here.
    if (asked === 20) ending.abort(new Error('asked too often'))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ chainId: 1, asOf, ...answer }))
  })
  const { code, out, err } = await runInProcess([...args, '--url', url], { signal: ending.signal })
  return { code, out, err, asked }
}

it.each([{ flags: [] }, { flags: ['--all'] }, { flags: ['--json'] }, { flags: ['--json', '--all'] }])(
  'exits with 3 where the index of a history cannot be read, and does not say that there is nothing: $flags',
  async ({ flags }) => {
    const page = { events: [], count: 0, hasMore: false, nextCursor: null, index: null }
    const answer = { subscriptionId: id, ...page, error: 'The index cannot be read.' }
    const { code, out, err } = await run(['history', id, ...flags], answer)
    expect(code).toBe(3)
    expect(err).toContain('The index cannot be read.')
    expect(out).not.toContain('No events')
  },
)

it.each([{ flags: [] }, { flags: ['--all'] }])(
  'exits with 3 where the log of events has more, and its place does not move on: $flags',
  async ({ flags }) => {
    const index = { blockNumber: 1, timestamp: 1, lagSeconds: 0, synced: true }
    const answer = { events: [], count: 0, next: 7, last: 9, hasMore: true, index }
    const { code, err, asked } = await run(['events', ...flags], answer)
    expect({ code, asked }).toEqual({ code: 3, asked: 2 })
    expect(err).toContain('does not move on')
  },
)
