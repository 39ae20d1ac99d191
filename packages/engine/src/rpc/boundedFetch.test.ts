import { collectGarbage } from '@remit/testing/support/runner/collectGarbage'
import { serve } from '@remit/testing/support/service/serve'
import { expect, it } from 'vitest'
import { boundedFetch } from './boundedFetch.ts'

/** A node that begins an answer and never ends it. */
const url = await serve((_, response) => void response.writeHead(200).write('{"result":'))

it('an answer that never ends is given up when its time is up, whatever arrived meanwhile', async () => {
  collectGarbage()
  await expect(boundedFetch({ url, headers: {} }, '{}', 300)).rejects.toMatchObject({
    name: 'TimeoutError',
  })
})

it('a redirect is not followed: it could take credentials to another host', async () => {
  const asked: string[] = []
  const elsewhere = await serve((request, response) => {
    asked.push(request.url ?? '')
    response.end('{}')
  })
  const redirecting = await serve(
    (_, response) => void response.writeHead(307, { location: elsewhere }).end(),
  )
  await expect(boundedFetch({ url: redirecting, headers: {} }, '{}', 10_000)).rejects.toThrow('redirects')
  expect(asked).toEqual([])
})
