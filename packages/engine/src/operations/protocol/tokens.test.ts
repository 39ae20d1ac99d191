import { Bytes32MetadataToken } from '@remit/contracts/Bytes32MetadataToken'
import { FeeOnTransferToken } from '@remit/contracts/FeeOnTransferToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { indexed } from '@remit/testing/support/service/indexed'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, stranger } = chain.wallets
const legacy = await approvedToken(chain, Bytes32MetadataToken, { minimum: 1n })
const odd = await approvedToken(chain, FeeOnTransferToken, { decimals: 8, enteredDecimals: 6 })
await chain.keep()
const service = await useTestService([{ ...chain, tokens: { ...chain.tokens, legacy, odd, stranger } }])

describe('GET /approved-tokens', () => {
  it('lists the candidates that the chain confirms, with minimum and pause', async () => {
    const { status, body } = await service.get('/approved-tokens')
    expect(status).toBe(200)
    expect(lasting(body)).toMatchInlineSnapshot(`
      {
        "chainId": 31337,
        "tokens": [
          {
            "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
            "decimals": 6,
            "minimum": "0.01",
            "minimumRaw": "10000",
            "name": "USD Coin (dev chain)",
            "paused": false,
            "symbol": "USDC",
          },
          {
            "address": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
            "decimals": 18,
            "minimum": "0.01",
            "minimumRaw": "10000000000000000",
            "name": "Dai Stablecoin (dev chain)",
            "paused": false,
            "symbol": "DAI",
          },
          {
            "address": "0x5FC8d32690cc91D4c39d9d3abcBD16989F875707",
            "decimals": 6,
            "minimum": "0.000001",
            "minimumRaw": "1",
            "name": "Bytes32 Metadata",
            "paused": false,
            "symbol": "B32",
          },
          {
            "address": "0xa513E6E4b8f2a923D98304ec87F64353C4D5C853",
            "decimals": 6,
            "minimum": "0.01",
            "minimumRaw": "10000",
            "name": "Fee On Transfer",
            "paused": false,
            "symbol": "FEE",
          },
        ],
        "warnings": [
          {
            "code": "TOKEN_DECIMALS_MISMATCH",
            "message": "The protocol counts 6 decimals for the token 0xa513E6E4b8f2a923D98304ec87F64353C4D5C853, which itself says 8: amounts here are what the contract moves, and wallets will show other figures.",
            "ownDecimals": 8,
            "protocolDecimals": 6,
            "token": "0xa513E6E4b8f2a923D98304ec87F64353C4D5C853",
          },
        ],
      }
    `)
  })

  it('knows of a token that is not in the registry once somebody has created a subscription in it', async () => {
    const listed = async () => {
      await indexed(service, chain)
      const { body } = await service.get('/approved-tokens')
      return z.object({ tokens: z.array(z.object({ address: z.string() })) }).parse(body).tokens
    }
    const fresh = await approvedToken(chain, FeeOnTransferToken, { decimals: 8 })
    expect(await listed()).not.toContainEqual(expect.objectContaining({ address: getAddress(fresh) }))
    await protocol.create({ token: fresh })
    expect(await listed()).toContainEqual(expect.objectContaining({ address: getAddress(fresh) }))
  })
})

describe('GET /approved-tokens/:token', () => {
  it('tells one token', async () => {
    const { status, body } = await service.get(`/approved-tokens/${chain.tokens.usdc.toLowerCase()}`)
    expect(status).toBe(200)
    expect(body.token).toMatchInlineSnapshot(`
      {
        "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
        "decimals": 6,
        "minimum": "0.01",
        "minimumRaw": "10000",
        "name": "USD Coin (dev chain)",
        "paused": false,
        "symbol": "USDC",
      }
    `)
  })

  it('follows a pause with the next block', async () => {
    await protocol.send(admin, 'pauseToken', [chain.tokens.usdc, true])
    await service.caughtUp()
    const { body } = await service.get(`/approved-tokens/${chain.tokens.usdc}`)
    expect(body).toMatchObject({ token: { paused: true } })
  })

  it('rounds a minimum up to a whole raw unit', async () => {
    const { body } = await service.get(`/approved-tokens/${legacy}`)
    expect(body).toMatchObject({ token: { minimum: '0.000001', minimumRaw: '1' } })
  })

  it('warns where the token itself counts other decimals', async () => {
    const { body } = await service.get(`/approved-tokens/${odd}`)
    expect(body).toMatchObject({
      token: { decimals: 6 },
      warnings: [
        { code: 'TOKEN_DECIMALS_MISMATCH', protocolDecimals: 6, ownDecimals: 8, token: getAddress(odd) },
      ],
    })
  })
})
