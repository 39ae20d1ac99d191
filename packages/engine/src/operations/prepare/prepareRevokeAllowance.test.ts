import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { expectKept } from '@remit/testing/support/wallets/expectKept'
import { erc20Abi } from 'viem'
import { expect, it } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, provider } = chain.wallets
const { usdc, dai } = chain.tokens
const stubborn = await approvedToken(chain, StubbornAllowanceToken)
await protocol.fund(usdc, alice, { balance: 7_000_000n, allowance: 5_500_000n })
await chain.keep()
const service = await useTestService([chain])
const sending = { chain, service, signer: signerOf(3) }

async function prepare(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/revoke_allowance', { from: alice, token: usdc, ...change })
}

const allowanceOf = (token: typeof usdc) =>
  chain.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [alice, chain.contract],
  })

it('says what it found and what to do', async () => {
  const { preflight, warnings, instructions } = lasting((await prepare()).body)
  expect({ preflight, warnings, instructions }).toMatchInlineSnapshot(`
    {
      "instructions": [
        "Connect the wallet 0x90F79bf6EB2c4f870365E785982E1f101E93b906 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: set the allowance of 0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512 for the protocol 0x5FbDB2315678afecb367f032d93F642f64180aa3 to 0.",
        "Ask get_transaction_status (POST /transactions/status?chainId=31337) with {"txHash": "<hash>"} until \`confirmed\` is true.",
      ],
      "preflight": {
        "allowance": {
          "amount": "5.5",
          "amountRaw": "5500000",
          "tokenDecimals": 6,
        },
        "balance": {
          "amount": "7",
          "amountRaw": "7000000",
          "tokenDecimals": 6,
        },
        "sharedWith": [],
        "sharedWithCount": 0,
        "token": {
          "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
          "decimals": 6,
          "name": "USD Coin (dev chain)",
          "symbol": "USDC",
        },
      },
      "warnings": [],
    }
  `)
})

it('does so for a token that refuses to change an allowance to another, and in a paused one', async () => {
  await protocol.fund(stubborn, alice, { allowance: 1n })
  await protocol.send(admin, 'pauseToken', [stubborn, true])
  await expectKept(sending, await prepare({ token: stubborn }), [stubborn])
  expect(await allowanceOf(stubborn)).toBe(0n)
})

it('names what is paid from it, and nothing else, since that ends with it', async () => {
  const [paid, left, cancelled, otherToken] = [
    await protocol.create(),
    await protocol.create(),
    await protocol.create(),
    await protocol.create({ token: dai }),
  ]
  for (const subscription of [paid, left, cancelled, otherToken]) await protocol.join(subscription, alice)
  await protocol.send(alice, 'unsubscribe', [left])
  await protocol.send(provider, 'cancelSubscription', [cancelled])
  const { body } = await prepare()
  expect(body).toMatchObject({ preflight: { sharedWith: [paid.id] } })
  expect(body.instructions).toContainEqual(expect.stringContaining('ends 1 active subscription as soon as'))
})
