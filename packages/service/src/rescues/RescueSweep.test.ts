import { DaiLikeToken } from '@remit/contracts/DaiLikeToken'
import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import type { NewRescue } from '@remit/engine/ports/rescues'
import { SIGNATURE, YES } from '@remit/testing/portal/contractWallet'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { silentLog, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { signerOf } from '@remit/testing/support/chain/useTestChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { signedPermit } from '@remit/testing/support/wallets/signedPermit'
import { TEST_SECRETS_KEY } from '@remit/testing/support/webhooks/startDelivering'
import { encodeDeployData, getAddress, type Hex, isHex, maxUint256, parseSignature } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import { StoreAccess } from '../access/StoreAccess.ts'
import { SecretBox } from '../store/SecretBox.ts'
import { RescueSweep } from './RescueSweep.ts'
import { Rescues } from './Rescues.ts'

const ground = await useReadingGround()
const { chainId, contract, wallets } = ground
const { usdc } = ground.tokens
const owner = signerOf(3)
const daiLike = await ground.deploy(encodeDeployData({ ...DaiLikeToken, args: ['Coin', 'COIN', 18] }))
const safe = getAddress(`0x${'c7'.repeat(20)}`)
await ground.client.setCode({ address: safe, bytecode: YES })
await ground.keep()
const HOUR_MS = 3_600_000

describeStores('permits that are kept', (stores) => {
  const { signal } = new AbortController()
  const box = new SecretBox([TEST_SECRETS_KEY])
  const open = { access: new StoreAccess(silentLog), box, secret: TEST_SECRETS_KEY, log: silentLog }

  beforeEach(async () => {
    await stores.store.db.deleteFrom('rescues').execute()
    await stores.store.db.deleteFrom('approvals').execute()
  })

  async function keep(change: Partial<NewRescue> = {}, blockNumber = 0) {
    const signed = await signedPermit(ground, { token: usdc, signer: owner, value: 50_000_000n })
    const now = Number((await ground.client.getBlock()).timestamp)
    const rescue: NewRescue = {
      chainId,
      owner: owner.address,
      token: usdc,
      provider: wallets.provider,
      value: 50_000_000n,
      isAllowed: false,
      deadline: signed.deadline,
      nonce: 0n,
      signature: signed.signature,
      isPublic: false,
      ...change,
    }
    const rescues = new Rescues({ ...open, store: stores.store, webhooks: false })
    await rescues.of({ id: '203.0.113.1' }).keep(rescue, { now, blockNumber, subscriptionIds: [] })
    return rescue
  }

  /** @param aheadMs of this machine’s clock */
  async function sweep(aheadMs: number): Promise<number> {
    const now = () => Date.now() + aheadMs
    await new RescueSweep({
      chainId,
      chains: ground.open(),
      store: stores.store,
      box,
      log: silentLog,
      now,
    }).sweep(signal)
    return (await stores.store.db.selectFrom('rescues').select('id').execute()).length
  }

  async function carry(rescue: NewRescue): Promise<void> {
    const { owner, value, isAllowed, nonce, signature } = rescue
    const deadline = BigInt(rescue.deadline)
    if (isAllowed) {
      const { yParity, r, s } = parseSignature(hexOf(signature))
      const args = [owner, contract, nonce, deadline, true, 27 + yParity, r, s] as const
      await contractAt(ground.client, daiLike, DaiLikeToken.abi).send(wallets.keeper, 'permit', args)
    } else {
      const args = [owner, contract, value, deadline, hexOf(signature)] as const
      await contractAt(ground.client, usdc, UsdcLikeToken.abi).send(wallets.keeper, 'permit', args)
    }
  }

  const inSixDays = async () => (await ground.now()) + 6 * 86_400

  /** By DAI's own form. */
  async function keepDais() {
    const deadline = await inSixDays()
    const signature = await owner.signTypedData({
      domain: { name: 'Coin', version: '1', chainId, verifyingContract: daiLike },
      types: {
        Permit: [
          { name: 'holder', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'nonce', type: 'uint256' },
          { name: 'expiry', type: 'uint256' },
          { name: 'allowed', type: 'bool' },
        ],
      },
      primaryType: 'Permit',
      message: {
        holder: owner.address,
        spender: contract,
        nonce: 0n,
        expiry: BigInt(deadline),
        allowed: true,
      },
    })
    return keep({ token: daiLike, value: maxUint256, isAllowed: true, deadline, signature })
  }

  const KEPT: Readonly<Record<string, () => Promise<NewRescue>>> = {
    'a key': () => keep(),
    'a contract wallet': async () => keep({ owner: safe, deadline: await inSixDays(), signature: SIGNATURE }),
    'DAI’s own form': keepDais,
  }

  it('stay while their token takes them, and are tried once an hour', async () => {
    await keep()
    expect(await sweep(HOUR_MS)).toBe(1)
    ground.proxy.reset()
    expect(await sweep(HOUR_MS)).toBe(1)
    expect(ground.proxy.requests).toBe(0)
  })

  it.each(Object.entries(KEPT))(
    'of %s go once they are carried, as soon as the index has the approval',
    async (_, kept) => {
      const rescue = await kept()
      expect(await sweep(HOUR_MS)).toBe(1)
      await carry(rescue)
      expect(await sweep(0)).toBe(1)
      const { number, timestamp } = await ground.client.getBlock()
      await stores.store.db
        .insertInto('approvals')
        .values({
          ...{ chain_id: chainId, block_number: Number(number), log_index: 0, timestamp: Number(timestamp) },
          ...{ transaction_hash: `0x${'0'.repeat(64)}`, amount: '1' },
          ...{ owner: rescue.owner.toLowerCase(), token: rescue.token.toLowerCase() },
        })
        .execute()
      expect(await sweep(0)).toBe(0)
    },
  )

  it('go once they are void, or over', async () => {
    await keep({ signature: `0x${'12'.repeat(65)}` })
    expect(await sweep(HOUR_MS)).toBe(0)
    await keep({ deadline: Number((await ground.client.getBlock()).timestamp) + 60 })
    await ground.advanceDays(1)
    expect(await sweep(HOUR_MS)).toBe(0)
  })

  it('stay where the node fails', async () => {
    await keep()
    ground.proxy.fail({ status: 500 })
    await expect(sweep(HOUR_MS)).rejects.toThrow()
    ground.proxy.fail({})
    expect(await sweep(HOUR_MS)).toBe(1)
  })
})

function hexOf(text: string): Hex {
  if (!isHex(text)) throw new Error(`${text} is no hex`)
  return text
}
