import type { ChainsPort } from '../../core/ports/chains.ts'
import type { AccountTotal } from '../../core/ports/node.ts'
import type { Store } from '../../store/openStore.ts'
import type { ProjectionReader } from '../projection.ts'
import { auditAccounts } from './auditAccounts.ts'
import { auditSubscriptions } from './auditSubscriptions.ts'

/** A sentence if the index differs from the contract, `null` if not, `undefined` if nothing was compared. */
export type Audit = (signal: AbortSignal) => Promise<string | null | undefined>

/**
 * Makes the audit of a chain's index. It compares the index with the contract, which finds what no check of logs
 * can: events that all nodes of the chain have hidden.
 */
export function createAudit(options: {
  chainId: number
  reader: Pick<ProjectionReader, 'snapshot'>
  chains: Pick<ChainsPort, 'withView'>
  store: Pick<Store, 'snapshot'>
  contract: AccountTotal
}): Audit {
  return allAudits([auditSubscriptions(options), auditAccounts(options)])
}

/** Several audits as one. It returns the first difference, in the order of the list, among the latest run of each. */
export function allAudits(audits: readonly Audit[]): Audit {
  const latest = new Map<Audit, string | null>()
  return async (signal) => {
    let compared = false
    for (const audit of audits) {
      const found = await audit(signal)
      if (found === undefined) continue
      latest.set(audit, found)
      compared = true
    }
    if (!compared) return undefined
    return [...latest.values()].find((found) => found !== null) ?? null
  }
}
