import type { SignedTopUp } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { Facts, Note } from '../../design/Card.tsx'
import { Address } from '../../design/values/Address.tsx'
import { Money } from '../../design/values/Money.tsx'
import { When } from '../../design/values/When.tsx'
import type { SigningRequest } from '../../signing/startSigning.ts'
import { type Lacking, openGifts, toSign } from './gift.ts'

/** Says what this browser has seen signed for the same wallet: giving as well would give it twice. */
export function SignedBefore({ lacking: { account, token } }: { readonly lacking: Lacking }) {
  const { raw, until } = openGifts(account, token.address)
  if (raw === 0n) return null
  return (
    <Note kind="mind">
      <p>
        <strong>
          <Money amount={formatHuman(raw, token.decimals)} token={token} /> were signed here for this wallet.
        </strong>{' '}
        Whoever has the link can carry that until <When at={until} />, if nobody has yet. What you give now
        comes on top.
      </p>
    </Note>
  )
}

/** Giving somebody what they lack: by a transfer, or signed only, for somebody else to carry. */
export function giveRequest(lacking: Lacking, onDone: (block: number) => void): SigningRequest<'topUp'> {
  const { account, token, amount, amountRaw } = lacking
  return {
    title: 'Give this money',
    verb: 'Give it',
    isGrave: true,
    act: 'Give the money',
    done: 'The money is given.',
    asked: { flow: 'topUp', request: { account, token: token.address, value: amountRaw.toString() } },
    review: ({ preflight }) => (
      <>
        {preflight?.missing?.amountRaw === 0n ? (
          <Note kind="bad">
            <p>Nothing is missing any more: somebody has given it meanwhile.</p>
          </Note>
        ) : null}
        <SignedBefore lacking={lacking} />
        <p>
          <strong>Nobody can take this back.</strong> The money is theirs then, and they can spend it on
          anything.
        </p>
        <Facts
          rows={[
            ['To', <Address key="to" address={account} isWhole isLinked={false} />],
            ['How much', <Money key="much" amount={amount} token={token} isLarge rounding="up" />],
          ]}
        />
      </>
    ),
    // Gives what the button that only signs does: from then on `SignedGift.tsx` has it signed.
    signAlone: () => () => {
      toSign.value = lacking
    },
    receipt: () => (
      <Note kind="good">
        <p>
          <strong>The money is given.</strong> Thank you.
        </p>
      </Note>
    ),
    onDone,
  }
}

/** Carrying a gift that somebody else has signed: the connected wallet sends it to the network, and pays the fee. */
export function carryGiftRequest(signed: SignedTopUp, onDone: () => void): SigningRequest<'carryTopUp'> {
  return {
    title: 'Carry a gift',
    verb: 'Carry it',
    act: 'Carry the gift to the network',
    done: 'The gift is carried.',
    asked: { flow: 'carryTopUp', request: signed },
    review: ({ preflight }) =>
      preflight === undefined || preflight.token === null || preflight.value === null ? null : (
        <>
          <p>You carry what somebody else has signed. Nothing of yours moves but the network’s fee.</p>
          <Facts
            rows={[
              ['From', <Address key="from" address={preflight.payer} />],
              ['To', <Address key="to" address={preflight.account} />],
              ['How much', <Money key="much" amount={preflight.value.amount} token={preflight.token} />],
            ]}
          />
        </>
      ),
    receipt: () => (
      <Note kind="good">
        <p>
          <strong>The gift is carried.</strong> Thank you.
        </p>
      </Note>
    ),
    onDone,
  }
}
