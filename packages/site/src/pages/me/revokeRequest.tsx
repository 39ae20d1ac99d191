import type { Token } from '@remit/client'
import { etherLack } from '../../signing/etherLack.ts'
import type { SigningRequest } from '../../signing/startSigning.ts'
import { handedOver } from './handOver/handOver.ts'
import { Revoked, RevokeReview } from './RevokeReview.tsx'

/** Taking back the permission of a token. @param count how many subscriptions draw on it, and end at their next payment */
export function revokeRequest(token: Token, count: number): SigningRequest<'revokeAllowance'> {
  return {
    title: 'Take the permission back',
    verb: 'Take it back',
    act: 'Set the permission to nothing',
    isGrave: count > 0,
    done: 'The permission is taken back.',
    asked: { flow: 'revokeAllowance', request: { token: token.address } },
    review: (prepared) => <RevokeReview prepared={prepared} token={token} count={count} />,
    // The other way: the wallet signs a permission of 0, and somebody who has ether hands it in (`HandOverDialog.tsx`). It is not
    // offered where there is nothing to take back. Without periods it is no giving; no more than 0 may be signed.
    signAlone: ({ preflight, warnings }) => {
      const before = preflight?.allowance?.amountRaw
      if (before === undefined || before === 0n) return undefined
      const lack = etherLack(warnings, undefined)
      return () => {
        handedOver.value = { token, approvalPeriods: undefined, most: 0n, lack }
      }
    },
    receipt: () => <Revoked count={count} />,
  }
}
