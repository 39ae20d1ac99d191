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
