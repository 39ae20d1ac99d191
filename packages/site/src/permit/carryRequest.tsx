import type { SignedPermit } from '@remit/client'
import { Address } from '../design/Address.tsx'
import { Facts, Note } from '../design/Card.tsx'
import type { SigningRequest } from '../signing/startSigning.ts'
import { Permitted } from './Permitted.tsx'

/** Carrying somebody's permission. */
export function carryRequest(signed: SignedPermit, onDone: () => void): SigningRequest<'carryPermit'> {
  return {
    title: 'Carry a permission',
    verb: 'Carry it',
    act: 'Carry the permission to the network',
    done: 'The permission is carried.',
    asked: { flow: 'carryPermit', request: signed },
    review: ({ preflight }) => {
      if (preflight === undefined) return null
      const { owner, allowance, token, alreadyCarried } = preflight
      if (alreadyCarried) {
        return (
          <Note kind="good">
            <p>Somebody has carried it already. There is nothing left to do.</p>
          </Note>
        )
      }
      return (
        <>
          <p>You carry what somebody else has signed. Nothing of yours moves but the network’s fee.</p>
          <Facts
            rows={[
              ['Permission of', <Address key="owner" address={owner} />],
              allowance === null || token === null
                ? undefined
                : ['Now', <Permitted key="before" quantity={allowance.before} token={token} />],
              allowance === null || token === null
                ? undefined
                : ['Then', <Permitted key="after" quantity={allowance.after} token={token} />],
            ]}
          />
        </>
      )
    },
    receipt: () => (
      <Note kind="good">
        <p>
          <strong>The permission is carried.</strong> Thank you. Its owner’s subscriptions go on by it.
        </p>
      </Note>
    ),
    onDone,
  }
}
