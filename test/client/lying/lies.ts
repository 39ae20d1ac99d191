import type { Address } from 'viem'
import type { Subscription } from '../../support/chain/protocolOn.ts'
import type { Lie } from './Lie.ts'
import { liesAboutApprovals } from './liesAboutApprovals.ts'
import { liesAboutArguments } from './liesAboutArguments.ts'
import { liesAboutCalls } from './liesAboutCalls.ts'
import { liesAboutChain } from './liesAboutChain.ts'
import { liesInBytes } from './liesInBytes.ts'

/** Who lies, and what there is to lead to. */
export interface Attacker {
  readonly account: Address
  /** The attacker's own. */
  readonly contract: Address
  /** The protocol's. */
  readonly protocol: Address
  readonly otherToken: Address
  /** Dearer than what is asked for. */
  readonly otherSubscription: Subscription
}

/** Every lie, in the order in which they are numbered. */
export function allLies(attacker: Attacker): Lie[] {
  return [
    ...liesAboutChain(attacker),
    ...liesAboutCalls(attacker),
    ...liesAboutApprovals(attacker),
    ...liesAboutArguments(attacker),
    ...liesInBytes(attacker),
  ]
}
