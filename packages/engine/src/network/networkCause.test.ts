import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { Deadline } from '../waiting/Deadline.ts'
import { untilAborted } from '../waiting/untilAborted.ts'
import { networkCause } from './networkCause.ts'

const KEY = 'k3y-of-the-operator'

async function causeOf(url: string): Promise<string> {
  const outcome = await fetch(`${url}/${KEY}?apikey=${KEY}`).then(
    () => 'answered',
    (error: unknown) => networkCause(error),
  )
  expect(outcome).not.toContain(KEY)
  return outcome
}

it('names the system’s code for a server that cannot be reached', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const address = closed.address()
  const port = typeof address === 'object' ? address?.port : undefined
  closed.close()
  await once(closed, 'close')
  expect(await causeOf(`http://127.0.0.1:${port}`)).toBe('ECONNREFUSED')
  expect(await causeOf('http://no-such-host.invalid')).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/)
  expect(await causeOf('http://127.0.0.1:9')).toBe('bad port')
})

it.each([
  ['the innermost code', coded('UND_ERR', coded('ECONNRESET')), 'ECONNRESET'],
  [
    'the first of several attempts',
    new AggregateError([coded('ECONNREFUSED'), coded('EHOSTUNREACH')]),
    'ECONNREFUSED',
  ],
  [
    'a certificate',
    coded('DEPTH_ZERO_SELF_SIGNED_CERT'),
    'its certificate is refused: DEPTH_ZERO_SELF_SIGNED_CERT',
  ],
  ['no message that could hold a key', new Error(`GET https://x/${KEY}`), 'Error'],
  ['no code that could hold one', coded(`https://x/${KEY}`), 'Error'],
  ['nothing of what is no error', KEY, 'unknown'],
])('names %s', (_, error, word) => expect(networkCause(error)).toBe(word))

function coded(code: string, cause?: Error): Error {
  return Object.assign(new Error(`connect to rpc.example/${KEY}`, { cause }), { code })
}

it('ends many works with one signal, and Node warns of no leak', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  const outer = new AbortController()
  const deadlines = Array.from({ length: 20 }, () => new Deadline(60_000, outer.signal))
  const waits = deadlines.map(({ signal }) => once(signal, 'abort'))
  const waiting = new AbortController()
  const works = Array.from({ length: 20 }, () => untilAborted(waiting.signal, new Promise(() => {})))
  outer.abort()
  waiting.abort(new Error('enough'))
  await Promise.all(waits)
  expect((await Promise.allSettled(works)).map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
  for (const deadline of deadlines) deadline.drop()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  expect(warnings).toEqual([])
})
