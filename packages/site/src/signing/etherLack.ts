import type { Warning } from '@remit/client'
import type { Sponsor } from './sponsor.ts'

/** What a wallet without enough ether for the network's fee has and needs, in wei. */
export interface EtherLack {
  /** What the wallet holds. */
  readonly balance: bigint
  /** The most that the network may take. */
  readonly required: bigint
}

/**
 * The ether that the wallet has and needs, where a warning of what was prepared says that it lacks some; `undefined` where it has enough,
 * or `sponsor` offers to pay the fee.
 */
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
