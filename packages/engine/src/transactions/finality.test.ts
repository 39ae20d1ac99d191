import { useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import { expect, it } from 'vitest'
import { createTransactions } from './transactions.ts'

const ground = await useProvingGround()
const { client, node } = ground
const { alice, bob } = ground.wallets

it('finality is what the node says, else a depth', async () => {
  const { transactionHash: hash } = await ground.send(alice, { to: bob })
  const status = async () => createTransactions(ground.access).transaction(await ground.view(), hash, {})
  expect(await status()).toMatchObject({ finalized: false, confirmations: 1 })
  await client.mine({ blocks: 10 })
  expect(await status()).toMatchObject({ finalized: true, confirmations: 11 })

  node.fail({
    answer: ({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === 'finalized'
        ? { error: { code: -39001, message: 'finalized block not found' } }
        : undefined,
  })
  expect(await status()).toMatchObject({ finalized: false, confirmations: 11 })
  await client.mine({ blocks: 54 })
  expect(await status()).toMatchObject({ finalized: true, confirmations: 65 })
})
