import type { SignedPermit } from '@remit/client'
import { Facts, Note } from '../design/Card.tsx'
import { Address } from '../design/values/Address.tsx'
import type { SigningRequest } from '../signing/startSigning.ts'
import { Permitted } from './Permitted.tsx'
import { signedRaw } from './signedRaw.ts'

/** Carrying a permission that somebody has only signed (EIP-2612): the connected wallet sends it to the network and pays the fee. */
export function carryRequest(signed: SignedPermit, onDone: () => void): SigningRequest<'carryPermit'> {
  const takesBack = signedRaw(signed) === 0n
  return {
    title: 'Carry somebody’s permission',
    verb: 'Carry it',
    act: 'Carry the permission to the network',
    done: takesBack ? 'The permission is taken back.' : 'The permission is carried.',
    asked: { flow: 'carryPermit', request: signed },
    review: ({ preflight }) => {
      if (preflight === undefined) return null
      const { owner, allowance, token, alreadyCarried } = preflight
      if (alreadyCarried) {
        return (
          <Note kind="good">
            <p>
              Somebody has carried it already
              {takesBack ? ': the permission is taken back' : ''}. There is nothing left to do.
            </p>
          </Note>
        )
      }
      return (
        <>
          <p>
            You carry what somebody else has signed. It is put on the network by your transaction, and nothing
            of yours moves but the network’s fee.
          </p>
          <Facts
            rows={[
              ['Permission of', <Address key="owner" address={owner} />],
              allowance === null || token === null
                ? undefined
                : ['Allowed so far', <Permitted key="before" quantity={allowance.before} token={token} />],
              allowance === null || token === null
                ? undefined
                : [
                    'Allowed then, in all',
                    <Permitted key="after" quantity={allowance.after} token={token} />,
                  ],
            ]}
          />
        </>
      )
    },
    receipt: () => (
      <Note kind="good">
        <p>
          {takesBack ? (
            <>
              <strong>The permission is taken back.</strong> Thank you. The contract may take nothing of this
              token from its owner’s wallet.
            </>
          ) : (
            <>
              <strong>The permission is carried.</strong> Thank you. Its owner’s subscriptions go on by it.
            </>
          )}
        </p>
      </Note>
    ),
    onDone,
  }
}

/** The same for several permissions, in one bundle where the wallet can. */
export function carryAllRequest(
  permits: readonly SignedPermit[],
  onDone: () => void,
): SigningRequest<'carryPermits'> {
  return {
    title: 'Carry permissions',
    verb: 'Carry them',
    act: 'Carry a permission to the network',
    actBefore: 'Carry a permission to the network',
    done: 'The permissions are carried.',
    asked: { flow: 'carryPermits', request: { permits } },
    review: ({ carried, left }) => {
      const open = carried.filter(({ alreadyCarried }) => !alreadyCarried)
      return (
        <>
          <p>You carry what others have signed. Nothing of yours moves but the network’s fee.</p>
          <Facts
            rows={open.map(({ owner, token, allowance }) => [
              <Address key="owner" address={owner} />,
              allowance === null || token === null ? null : (
                <Permitted key="after" quantity={allowance.after} token={token} />
              ),
            ])}
          />
          {left.length === 0 ? null : (
            <Note kind="mind">
              <p>
                {left.length === 1 ? 'One of them is' : `${left.length} of them are`} no longer valid and left
                out.
              </p>
            </Note>
          )}
        </>
      )
    },
    receipt: () => (
      <Note kind="good">
        <p>
          <strong>The permissions are carried.</strong>
          {permits.every((signed) => signedRaw(signed) > 0n)
            ? ' Their owners’ subscriptions go on by them.'
            : null}
        </p>
      </Note>
    ),
    onDone,
  }
}
