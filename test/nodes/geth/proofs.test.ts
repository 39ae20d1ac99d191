import { createClient } from '@remit/client'
import { verifyMembershipProof, verifyPaymentProof } from '@remit/client/proofs'
import { expect, it } from 'vitest'
import { protocolOn } from '../../support/chain/protocolOn.ts'
import { describeGeth } from '../../support/geth/describeGeth.ts'
import { indexed } from '../../support/service/indexed.ts'
import { useTestService } from '../../support/service/testService.ts'

describeGeth('over a real geth, with all fields that its headers have by Osaka', async (chain) => {
  const { alice, bob, keeper, provider } = chain.wallets
  const protocol = protocolOn(chain)
  const plan = await protocol.create()
  for (const payer of [alice, bob]) await protocol.join(plan, payer)
  await protocol.send(bob, 'unsubscribe', [plan])
  await chain.advanceDays(7)
  for (let calls = 0; calls < 4; calls += 1) await protocol.send(keeper, 'remit', []).catch(() => undefined)
  await chain.keep()
  const service = await useTestService([chain])
  await indexed(service, chain)
  const client = createClient({ url: service.url, node: chain.url })
  const contracts = { [chain.chainId]: chain.contract }

  it('payments and memberships are proven', async () => {
    const { payments } = await client.listProviderPayments({ address: provider })
    expect(payments.map(({ kind }) => kind)).toContain('period')
    for (const { transactionHash, logIndex } of payments) {
      const { proof } = await client.getPayment({ txHash: transactionHash, logIndex, proof: true })
      if (proof === undefined) throw new Error('the answer has no proof')
      expect(verifyPaymentProof(proof, { blockHash: proof.blockHash, contracts }).payment).toEqual(
        proof.payment,
      )
    }
    const proven = await Promise.all(
      [alice, bob].map(async (address) => {
        const { proof, asOf } = await client.getMembership({ id: plan.id, address, proof: true })
        return verifyMembershipProof(proof, { blockHash: asOf.blockHash, contracts }).membership.isMember
      }),
    )
    expect(proven).toEqual([true, false])
  })
})
