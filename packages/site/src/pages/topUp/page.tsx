import '../../subject/subject.css'
import { type Signal, signal, useSignal } from '@preact/signals'
import type { SignedTopUp } from '@remit/client'
import { useMemo } from 'preact/hooks'
import { Button } from '../../design/Button.tsx'
import { Card, Facts, Note } from '../../design/Card.tsx'
import { later } from '../../design/later.tsx'
import { Empty, Failed, Loading } from '../../design/State.tsx'
import { Address } from '../../design/values/Address.tsx'
import { Money } from '../../design/values/Money.tsx'
import { When } from '../../design/values/When.tsx'
import { answerNow, queryNow } from '../../page/live.ts'
import { pageData } from '../../page/pageData.ts'
import { useSignerRead } from '../../permit/useSignerRead.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { isAddress, isHex } from '../../signed/linkText.ts'
import { askToSign, SigningDialog } from '../../signing/SigningDialog.tsx'
import { signer } from '../../signing/startSigning.ts'
import { dayWords } from '../../words/time.ts'
import {
  type FriendLink,
  type Given,
  type Lacking,
  readFriend,
  readGiven,
  toSign,
  voidWords,
} from './gift.ts'
import { carryGiftRequest, giveRequest, SignedBefore } from './giftRequests.tsx'
import { readGift } from './giftText.ts'

/** A chunk of its own: few sign without sending. */
const SignedGift = later(async () => (await import('./SignedGift.tsx')).SignedGift)

/** What the link holds behind the "#": a signature must reach no server’s log. */
const fragment = signal(location.hash.slice(1))
addEventListener('hashchange', () => {
  fragment.value = location.hash.slice(1)
})

/**
 * A page for two kinds of links. One names a wallet and a token: it shows what that wallet lacks, for whoever wants to give it (`Give`). The
 * other has a signed gift in its fragment, for whoever carries it (`Linked`), that is sends it to the network and pays the fee.
 */
export function Page() {
  const { account, token, plan, day } = queryNow.value
  return (
    <div class="subject__page stack">
      <h1>Pay for a friend</h1>
      <SigningDialog />
      {toSign.value === undefined ? null : <SignedGift lacking={toSign.value} />}
      {fragment.value !== '' ? (
        <Linked text={fragment.value} />
      ) : isAddress(account) && isAddress(token) && (plan === undefined || isHex(plan)) ? (
        <Give link={{ account, token, plan, through: day }} />
      ) : (
        <Incomplete />
      )}
    </div>
  )
}

function Incomplete() {
  return (
    <Empty title="This link is not complete.">
      <p>Ask whoever sent it to you for the whole link.</p>
    </Empty>
  )
}

function Give({ link }: { readonly link: FriendLink }) {
  const { account, plan } = link
  const isOwn = signer.value?.address.toLowerCase() === account.toLowerCase()
  const { known, read } = useSignerRead((minBlock) => readFriend(link, minBlock))
  const { value } = known
  if (value.state === 'loading') return <Loading lines={8} />
  if (value.state === 'failed') return <Failed error={value.error} retry={() => read()} />
  const { answer } = value
  if (answer.kind === 'lacks') return <Lack lacking={answer.lacking} isOwn={isOwn} onDone={read} />
  if (answer.kind === 'ended') {
    return (
      <Empty title="It is too late: this subscription has ended.">
        <p>
          It ended on <When at={answer.at} />. Money does not bring it back.
        </p>
      </Empty>
    )
  }
  if (answer.kind === 'lacksPermission') {
    return (
      <Empty title="No money is missing, but a permission.">
        <p>
          <Address address={account} /> holds enough for the payment that the link is for. It still fails
          unless its owner allows more to be taken, under “My subscriptions”: tell them.
        </p>
      </Empty>
    )
  }
  if (answer.kind === 'taken') {
    return (
      <Empty title="Nothing is missing.">
        <p>The payment that the link is for has been taken.</p>
      </Empty>
    )
  }
  return (
    <Empty title="Nothing is missing.">
      <p>
        <Address address={account} /> holds enough
        {plan === undefined
          ? ' for its payments of the next months'
          : ' for the payment that the link is for'}
        .
      </p>
    </Empty>
  )
}

interface LackProps {
  readonly lacking: Lacking
  readonly isOwn: boolean
  onDone(block: number): void
}

function Lack({ lacking, isOwn, onDone }: LackProps) {
  const { account, token, amount, payment } = lacking
  // The page comes with the plan that its link names.
  const plan = answerNow('plan', 'getSubscription')?.subscription
  return (
    <Card title="What is missing">
      <div class="stack">
        <p>
          A subscription ends when its wallet holds too little on a payment’s day: the payment is not tried
          again. You can give what this one lacks.
        </p>
        <Facts
          rows={[
            ['To', <Address key="to" address={account} isWhole isLinked={false} />],
            ['How much', <Money key="much" amount={amount} token={token} isLarge rounding="up" />],
            [
              'For',
              payment === undefined ? (
                'all its payments in this token that come in about three months, as they stand now'
              ) : (
                <>
                  {plan === undefined ? null : (
                    <>
                      <PlanName plan={plan} isLinked={false} />:{' '}
                    </>
                  )}
                  its payment of {dayWords(payment.day)}
                  {payment.others === 0 ? null : ', after the payments of other plans that fail before it'},
                  as things stand now
                </>
              ),
            ],
            payment === undefined
              ? undefined
              : [
                  'When',
                  payment.isByOver
                    ? 'at once: it is tried as soon as somebody collects'
                    : `before ${dayWords(payment.by)} begins (in UTC)`,
                ],
          ]}
        />
        {payment?.lacksPermission ? (
          <Note kind="bad">
            <p>
              <strong>Money alone does not save this subscription.</strong> Its owner has also to allow more
              to be taken, under “My subscriptions”. Ask before you give.
            </p>
          </Note>
        ) : null}
        <Note kind="mind">
          <p>
            <strong>It is a gift, and nobody can take it back.</strong> They can spend it on anything. Look at
            the address: is it your friend’s?
          </p>
        </Note>
        {isOwn ? (
          <p>This is your own wallet. Send this page’s address to a friend.</p>
        ) : (
          <>
            <SignedBefore lacking={lacking} />
            <Button kind="primary" isWide onClick={() => askToSign(giveRequest(lacking, onDone))}>
              Give it
            </Button>
          </>
        )}
        <p class="quiet">
          You see everything before you sign. Without ETH, you can sign it for somebody else to carry.
        </p>
      </div>
    </Card>
  )
}

/** A signed gift out of a link's fragment: anybody can have written it, so it is tried at a node first. */
function Linked({ text }: { readonly text: string }) {
  const signed = useMemo(() => readGift(text), [text])
  if (signed === undefined) return <Incomplete />
  if (signed.chainId !== pageData.chain?.chainId) {
    return <Empty title="This link is for another network." />
  }
  return <Signed key={text} signed={signed} />
}

function Signed({ signed }: { readonly signed: SignedTopUp }) {
  const { known, read } = useSignerRead(() => readGiven(signed, signer.peek()))
  const isCarried = useSignal(false)
  const { value } = known
  if (value.state === 'loading') return <Loading lines={8} />
  if (value.state === 'there') return <Offer signed={signed} given={value.answer} isCarried={isCarried} />
  const why = voidWords(value.error)
  if (why === undefined) return <Failed error={value.error} retry={() => read()} />
  return (
    <Empty title={why}>
      <p>Nothing can be done with this link. Whoever signed it can sign another.</p>
    </Empty>
  )
}

interface OfferProps {
  readonly signed: SignedTopUp
  readonly given: Given
  readonly isCarried: Signal<boolean>
}

function Offer({ signed, given, isCarried }: OfferProps) {
  const { payer, account, token, value, balance, validBefore, alreadyUsed } = given
  if (token === null || value === null || balance === null) {
    return <Empty title="The contract does not take this token." />
  }
  if (isCarried.value) {
    return (
      <Empty title="It is carried.">
        <p>There is nothing left to do.</p>
      </Empty>
    )
  }
  if (alreadyUsed) {
    return (
      <Empty title="This gift is used.">
        <p>
          It can be carried no more: somebody has done so, or it was made void at the token. The wallet that
          it is for holds <Money amount={balance.before.amount} token={token} rounding="down" /> now.
        </p>
      </Empty>
    )
  }
  const onDone = () => {
    isCarried.value = true
  }
  return (
    <Card title="A gift that somebody has signed">
      <div class="stack">
        <Facts
          rows={[
            ['From', <Address key="from" address={payer} />],
            ['To', <Address key="to" address={account} />],
            ['How much', <Money key="much" amount={value.amount} token={token} isLarge />],
            ['Can be carried until', <When key="until" at={new Date(validBefore * 1000)} />],
          ]}
        />
        <p>
          <strong>It costs you the network’s fee, in ETH.</strong> Nothing else of yours is at stake, and
          nobody pays you for it.
        </p>
        <Button kind="primary" isWide onClick={() => askToSign(carryGiftRequest(signed, onDone))}>
          Carry it
        </Button>
      </div>
    </Card>
  )
}
