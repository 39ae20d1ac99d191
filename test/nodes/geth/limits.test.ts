import { NotReadyError } from '@remit/engine/errors/prepare'
import { createProver } from '@remit/engine/testing/proof/prover'
import { concatHex, type Hex, numberToHex, size } from 'viem'
import { expect, it } from 'vitest'
import { DIFFERENTIAL_TERMS, differential } from '../../differential/differential.ts'
import { planOf, provingGroundOn } from '../../support/chain/useProvingGround.ts'
import { signerOf } from '../../support/chain/useTestChain.ts'
import { describeGeth } from '../../support/geth/describeGeth.ts'
import { trials } from '../../support/runner/trials.ts'

describeGeth(
  'over a geth that takes 3 items in a batch, 5 blocks of logs and 25 million gas, promises are kept',
  (chain) => differential(chain, [{ name: 'seed 12', seed: 12, steps: trials({ short: 12, nightly: 200 }) }]),
  { terms: DIFFERENTIAL_TERMS, geth: { gasCap: 25_000_000, batchItems: 3, logRange: 5 } },
)

const CAP = 2n ** 24n

/** The code of a contract that uses up so much gas and does nothing else, in a creation. */
function burnerOf(gas: number): Hex {
  // Loops while the gas left at first, less what is left now, is below the figure.
  const code: Hex = `0x5a5b805a900363${numberToHex(gas, { size: 4 }).slice(2)}1160015700`
  // Copies what follows these 12 bytes into memory, and returns it.
  return concatHex([`0x60${numberToHex(size(code), { size: 1 }).slice(2)}80600c6000396000f3`, '0x00', code])
}

describeGeth('the cap on a transaction’s gas, as geth enforces it', async (chain) => {
  const ground = await provingGroundOn(chain)
  const { access, wallets, client } = ground
  const prove = async (gas: number) => {
    const to = await chain.deploy(burnerOf(gas))
    const call = { to, data: '0x', value: 0n, instruction: 'Burn gas.' } as const
    return { to, proof: createProver(access).prove(await ground.view(), planOf(wallets.alice, [call])) }
  }
  const send = async (to: Hex, gas: bigint) => {
    const signer = signerOf(3)
    const nonce = await client.getTransactionCount({ address: signer.address })
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
    const raw = { type: 'eip1559', chainId: chain.chainId, nonce, to, gas, ...fees } as const
    return client.sendRawTransaction({ serializedTransaction: await signer.signTransaction(raw) })
  }

  it('a call that needs nearly all of it is proven with the cap as its limit, and succeeds with that', async () => {
    const { to, proof } = await prove(16_500_000)
    expect((await proof).gasEstimates).toMatchObject([{ gasLimit: CAP }])
    const hash = await send(to, CAP)
    expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
    await expect(send(to, CAP + 1n)).rejects.toThrow(/gas limit too high/)
  })

  it('a call that needs more is refused by name, with what it needs', async () => {
    const { proof } = await prove(20_000_000)
    const refused = await proof.catch((error: unknown) => error)
    if (!(refused instanceof NotReadyError)) throw refused
    const [issue] = refused.issues ?? []
    expect(issue).toMatchObject({ code: 'TRANSACTION_GAS_CAP', gasCap: `${CAP}` })
    expect(BigInt(String(issue?.gasNeeded))).toBeGreaterThan(20_000_000n)
  })
})
