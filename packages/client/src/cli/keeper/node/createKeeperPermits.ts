import { NotReadyError } from '../../../errors/prepare.ts'
import { RemitError } from '../../../errors/RemitError.ts'
import { prepareHere, type Sender } from '../../../sending/check/prepareHere.ts'
import { signingFor } from '../../../sending/check/signingFor.ts'
import { requestedCarry } from '../../../sending/permits/carryPermit.ts'
import type { SignedPermit } from '../../../sending/permits/SignedPermit.ts'
import type { Wallet } from '../../../sending/wallet/Wallet.ts'
import type { KeeperPermits } from '../ports/ports.ts'

/** Codes for a permit that no carrying would mend. */
const VOID: readonly string[] = ['PERMIT_VOID', 'PERMIT_UNSUPPORTED', 'SIMULATION_FAILED', 'VALIDATION_ERROR']

/** Permits as a carrier's wallet judges them at its own node, by the engine that prepares what wallets sign. */
export function createKeeperPermits(
  sender: Sender,
  { wallet, chainId, signal }: { wallet: Wallet; chainId: number; signal: AbortSignal },
): KeeperPermits {
  return {
    async callOf(permit: SignedPermit) {
      const signing = await signingFor(sender, chainId, wallet, { signal })
      try {
        const { calls } = await prepareHere(sender, requestedCarry({ ...permit, chainId }), signing)
        return calls[0]
      } catch (error) {
        const isVoid =
          error instanceof NotReadyError || (error instanceof RemitError && VOID.includes(error.code))
        if (isVoid) return undefined
        throw error
      }
    },
  }
}
