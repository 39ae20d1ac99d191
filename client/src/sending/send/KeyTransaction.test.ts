import { createClient, createWalletClient, custom, RpcRequestError } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { NotSentError } from '../errors.ts'
import { KeyTransaction } from './KeyTransaction.ts'
import { SentSoFar } from './SentSoFar.ts'

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

/** A sending to a node that refuses with these words, over a chain that has the transaction or has not. */
async function refused(message: string, isMined: boolean) {
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    if (method === 'eth_chainId') return '0x1'
    if (method === 'eth_getTransactionReceipt') {
      return isMined ? { status: '0x1', blockNumber: '0x1', logs: [], transactionHash: String(params) } : null
    }
    throw new RpcRequestError({ body: {}, url: 'http://node', error: { code: -32000, message } })
  }
  const transport = custom({ request }, { retryCount: 0 })
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

it('was not sent where a node refuses it, and keeps its hash where another node may have it', async () => {
  const sure = await refused('insufficient funds for gas * price + value', false)
  expect(sure).toEqual({ outcome: expect.any(NotSentError), isEmpty: true })
  const taken = await refused('nonce too low: next nonce 4, tx nonce 3', false)
  expect(taken).toEqual({ outcome: expect.any(NotSentError), isEmpty: true })
  // One node has taken it, its answer was lost, and the next one was asked: it knows the block already.
  expect(await refused('nonce too low: next nonce 4, tx nonce 3', true)).toEqual({
    outcome: 'sent',
    isEmpty: false,
  })
  // A replica that hands transactions to a sequencer did not hear from it.
  const unheard = await refused('Post "https://sequencer.example": context deadline exceeded', false)
  expect(unheard).toEqual({ outcome: 'sent', isEmpty: false })
})
