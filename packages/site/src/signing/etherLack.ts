import type { Warning } from '@remit/client'
import type { Sponsor } from './sponsor.ts'

/** Ether that a wallet lacks for the network's fee, in wei. */
export interface EtherLack {
  /** What the wallet holds. */
  readonly balance: bigint
  /** The most that the network may take. */
  readonly required: bigint
}

/** How much ether the wallet lacks for what was prepared; `undefined` where it has enough, or somebody offers to pay the fee. */
export function etherLack(warnings: readonly Warning[], sponsor: Sponsor | undefined): EtherLack | undefined {
  if (sponsor !== undefined) return undefined
  const warning = warnings.find(({ code }) => code === 'INSUFFICIENT_GAS_FUNDS')
  const { balanceWei, requiredWei } = Object(warning)
  if (typeof balanceWei !== 'string' || typeof requiredWei !== 'string') return undefined
  return { balance: BigInt(balanceWei), required: BigInt(requiredWei) }
}

/** What a wallet without enough ether is told where somebody offers to pay. */
export function onlyIfPaid({ host }: Sponsor): string {
  return `Your wallet has too little ETH for the network’s fee: it goes through only if ${host} pays.`
}
