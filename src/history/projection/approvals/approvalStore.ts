import type { Store } from '../../../store/openStore.ts'
import type { ApprovalStore } from '../../projection.ts'
import { holdIndex } from '../holdTip.ts'
import { forgetReadBefore } from '../verdicts/followStep.ts'
import { coverGap, firstGap, followNewTokens, hasNewTokens } from './coverage.ts'
import { writeApprovals } from './writeApprovals.ts'

/** What reads the approvals that no step has read. */
export function approvalStore(store: Store): ApprovalStore {
  return {
    async gap(lease) {
      const { chainId } = lease
      const found = await firstGap(store.db, chainId)
      if (found !== undefined || !(await hasNewTokens(store.db, chainId))) return found
      return store.transaction(async (db) => {
        await holdIndex(db, lease)
        await followNewTokens(db, chainId)
        return firstGap(db, chainId)
      })
    },

    close: (lease, gap, to, approvals) =>
      store.transaction(async (db) => {
        const { chainId } = lease
        const tip = await holdIndex(db, lease)
        const known = await db
          .selectFrom('index_blocks')
          .select('hash')
          .where('chain_id', '=', chainId)
          .where('number', '=', to.number)
          .executeTakeFirst()
        // Hashes of final blocks are not all kept.
        const stands =
          known === undefined ? to.number <= tip.finalizedBlock : known.hash === to.hash.toLowerCase()
        if (!stands || to.number > tip.blockNumber) return false
        await writeApprovals(db, chainId, approvals)
        await forgetReadBefore(db, chainId, approvals)
        await coverGap(db, chainId, gap, to.number)
        return true
      }),
  }
}
