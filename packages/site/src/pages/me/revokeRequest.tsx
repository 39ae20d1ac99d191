import type { Token } from '@remit/client'
import { INFINITE_ALLOWANCE } from '@remit/protocol/allowance'
import { formatHuman } from '@remit/protocol/amounts'
import { Note } from '../../design/Card.tsx'
import { Money } from '../../design/values/Money.tsx'
import { etherLack } from '../../signing/etherLack.ts'
import type { SigningRequest } from '../../signing/startSigning.ts'
import { handedOver } from './handOver/handOver.ts'

/** Taking back the permission of a token. @param count how many subscriptions draw on it, and end at their next payment */
export function revokeRequest(token: Token, count: number): SigningRequest<'revokeAllowance'> {
  return {
    title: 'Take the permission back',
    verb: 'Take it back',
    act: 'Set the permission to nothing',
    isGrave: count > 0,
    done: 'The permission is taken back.',
    asked: { flow: 'revokeAllowance', request: { token: token.address } },
    review: ({ preflight }) => {
      const draws = preflight?.sharedWithCount ?? count
      return (
        <>
          <p>
            The contract may then take nothing more of this token from your wallet
            {preflight?.allowance ? (
              <>
                , instead of <Permission raw={preflight.allowance.amountRaw} token={token} />
              </>
            ) : null}
            .
          </p>
          {draws === 0 ? null : (
            <Note kind="bad">
              <p>
                {draws === 1
                  ? 'One running subscription needs it. Its next payment will fail, and that ends the subscription. Its collecting reserve is not paid back. “Leave” ends it at once instead.'
                  : `${draws} running subscriptions need it. The next payment of each will fail, and that ends it. Its collecting reserve is not paid back. To end only one, leave it instead.`}
              </p>
            </Note>
          )}
        </>
      )
    },
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
    receipt: () => (
      <Note kind="good">
        <p>
          <strong>The permission is taken back.</strong> The contract may take nothing of this token from your
          wallet.
        </p>
      </Note>
    ),
  }
}

/** "One subscription uses", "3 subscriptions use". */
export function counted(count: number, one: string, many: string): string {
  return `${count === 1 ? 'One' : count} ${count === 1 ? one : many}`
}

/** A permission in words: "no limit" or an amount. @param raw in the token's smallest unit */
export function Permission({ raw, token }: { readonly raw: bigint; readonly token: Token }) {
  if (raw >= INFINITE_ALLOWANCE) return <>no limit</>
  return <Money amount={formatHuman(raw, token.decimals)} token={token} />
}
