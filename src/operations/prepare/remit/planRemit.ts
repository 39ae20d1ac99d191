import type * as z from 'zod'
import type { ChainView } from '../../../core/ports/chains.ts'
import type { Warning } from '../../../schema/answer.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import type { Findings } from '../answer/preparation.ts'
import type { RemitFindings } from './remitFindings.ts'
import { remitIssues, remitWarnings } from './remitIssues.ts'
import type { RemitReadiness } from './remitReadiness.ts'
import { gasWayOut } from './remitStop.ts'

type Details = z.output<typeof RemitReadiness>

/** Plans one remit(): what its preparation and the check before it share. */
export function planRemit(
  chain: ChainView,
  findings: RemitFindings,
  { details, afterMidnight }: { readonly details: Details; readonly afterMidnight: readonly Warning[] },
): Findings<Details, Details> {
  const { backlog, probed } = findings
  return {
    operation: 'remit',
    issues: remitIssues(chain, findings),
    warnings: [...remitWarnings(chain, findings), ...afterMidnight],
    // The probe makes the same call from the same address. Without logs, it is made by other code.
    isTried: probed.seenCalls > 0 && !probed.gaps.some((gap) => gap === 'counted' || gap === 'days'),
    nativeBalance: backlog.nativeBalance,
    backlogMultiplier: details.expectedTransactions,
    gasWayOut: gasWayOut(backlog.settings.maxRemits),
    preflight: details,
    details,
    batches: () => [
      [protocolCall(chain.contractAddress, 'remit', [], 'call remit(), which collects what is due')],
    ],
  }
}
