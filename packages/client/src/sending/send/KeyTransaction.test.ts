import { createClient, createWalletClient, custom, fallback, RpcRequestError } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { NotSentError } from '../errors.ts'
import { KeyTransaction } from './KeyTransaction.ts'
import { SentSoFar } from './Sending.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const call = { to: account.address, data: '0x' as const, functionName: 'subscribe' }
const pricing = {
  nonce: 3,
  gas: 100_000n,
  fees: { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n },
  raiseAfterMs: 1_000,
  raise: async () => undefined,
  mostLooksAfterNonce: 1,
  onEvent: () => {},
}

const answer = (message: string) =>
  new RpcRequestError({ body: {}, url: 'http://node', error: { code: -32000, message } })

/** A sending to nodes that fail so at the broadcast, each asked where the one before it has failed. */
async function failed(...errors: [Error, ...Error[]]) {
  const [one, ...others] = errors.map((error) => {
    const request = async ({ method }: { method: string }) => {
      if (method === 'eth_chainId') return '0x1'
      throw error
    }
    return custom({ request }, { retryCount: 0 })
  })
  if (one === undefined) throw new TypeError('there is no node')
  const transport = others.length === 0 ? one : fallback([one, ...others], { retryCount: 0 })
  const sentSoFar = new SentSoFar()
  const sending = {
    wallet: createWalletClient({ account, transport }),
    account,
    chainId: 1,
    reader: createClient({ transport }),
    limits: { timeoutMs: 100, pollingIntervalMs: 10 },
    sentSoFar,
    report: () => {},
    assertMaySign: async () => {},
  }
  // Safe: what it reads of a flow is here.
  const transaction = await KeyTransaction.sign(sending as never, call as never, pricing as never)
  const outcome = await transaction.send().then(
    () => 'sent',
    (error: unknown) => error,
  )
  return { outcome, isEmpty: sentSoFar.isEmpty }
}

it('was not sent where the one node that was asked refuses it', async () => {
  const sure = await failed(answer('insufficient funds for gas * price + value'))
  expect(sure).toEqual({ outcome: expect.any(NotSentError), isEmpty: true })
})

it.each<[why: string, ...errors: [Error, ...Error[]]]>([
  // The answer to an earlier try was lost, and that try was mined since.
  ['its nonce is taken', answer('nonce too low: next nonce 4, tx nonce 3')],
  // A replica that hands transactions to a sequencer did not hear from it.
  [
    'the node did not hear from the next',
    answer('Post "https://sequencer.example": context deadline exceeded'),
  ],
  ['the program aborts the request', new DOMException('This operation was aborted', 'AbortError')],
  ['the network fails', new DOMException('A network error occurred.', 'NetworkError')],
  ['another node was asked before', new TypeError('fetch failed'), answer('insufficient funds')],
])('keeps its hash where %s: a node may have it', async (_why, ...errors) => {
  expect(await failed(...errors)).toEqual({ outcome: 'sent', isEmpty: false })
})
