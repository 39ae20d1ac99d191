import type { Signal } from '@preact/signals'
import type { GetAccountAnswer, SignedPermit } from '@remit/client'
import { Button } from '../../design/Button.tsx'
import { Card, Facts, Note } from '../../design/Card.tsx'
import { Empty } from '../../design/State.tsx'
import { Address, Hash } from '../../design/values/Address.tsx'
import { DueDay, When } from '../../design/values/When.tsx'
import { answerNow } from '../../page/live.ts'
import { pageData } from '../../page/pageData.ts'
import { carryRequest } from '../../permit/carryRequest.tsx'
import { Permitted } from '../../permit/Permitted.tsx'
import { signedRaw } from '../../permit/signedRaw.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { planTexts } from '../../plan/planTexts.ts'
import { askToSign } from '../../signing/SigningDialog.tsx'
import { isEndless } from '../../words/money.ts'
import { coveredThrough } from '../../words/outlook.ts'
import type { Carried, Permission } from './permission.ts'

interface OfferProps {
  readonly signed: SignedPermit
  readonly permission: Permission
  /** Whether it was carried from this page. The answer (`alreadyCarried`) may not say so for a while, as its node may be behind. */
  readonly isCarried: Signal<boolean>
}

/**
 * Whose permission it is, what carrying it changes and costs, and the button for it. To carry is to send to the network what somebody
 * else has signed, and to pay the network's fee. A permission of 0 takes back the one before.
 */
export function Offer({ signed, permission: { readiness, answers }, isCarried }: OfferProps) {
  const { owner, token, allowance, deadline, alreadyCarried, subscriptions } = readiness.details
  if (token === null || allowance === null || readiness.issues.length > 0) {
    return (
      <Empty title="The contract does not take this token.">
        <p>So nothing can be done with this permission.</p>
      </Empty>
    )
  }
  const takesBack = signedRaw(signed) === 0n
  if (alreadyCarried || isCarried.value) {
    return takesBack ? (
      <Empty title="The permission is taken back already.">
        <p>
          What was signed is on the network: nothing more is taken in this token for the subscriptions of{' '}
          <Address address={owner} />. There is nothing left to do.
        </p>
      </Empty>
    ) : (
      <Empty title="It is carried already.">
        <p>
          This permission is on the network: <Permitted quantity={allowance.after} token={token} /> for the
          subscriptions of <Address address={owner} />. There is nothing left to do.
        </p>
      </Empty>
    )
  }
  const { before, after } = allowance
  const account = answerNow('account', 'getAccount', answers)
  const contract = pageData.chain?.contract
  const onDone = () => {
    isCarried.value = true
  }
  return (
    <>
      <p>
        Somebody has signed {takesBack ? 'that nothing more may be taken' : 'how much may be taken'} from
        their own wallet for their subscriptions. It counts once it is on the network, and asks you to bring
        it there: one transaction from your wallet, and the network’s fee for it in ETH.
      </p>
      <div class="aside">
        <div class="stack">
          <Card title="The permission">
            <div class="stack">
              <Facts
                rows={[
                  ['Whose', <Address key="owner" address={owner} />],
                  [
                    'For whom',
                    <>
                      The contract of the subscriptions, and nobody else.
                      {contract ? <> {<Address address={contract} isLinked={false} />}</> : null}
                    </>,
                  ],
                  ['Allows, in all', <Permitted key="after" quantity={after} token={token} isLarge />],
                  ['Allowed so far', <Permitted key="before" quantity={before} token={token} />],
                  deadline === 0
                    ? undefined
                    : ['The link works until', <When key="until" at={new Date(deadline * 1000)} />],
                ]}
              />
              {isEndless(after) ? (
                <Note kind="mind">
                  <p>
                    <strong>This permission has no limit.</strong> The contract takes only what is due for
                    subscriptions.
                  </p>
                </Note>
              ) : null}
              {after.amountRaw < before.amountRaw ? (
                <Note kind="bad">
                  <p>
                    <strong>This makes the permission smaller.</strong> Its owner may have extended it since.
                    Ask before you carry it.
                  </p>
                </Note>
              ) : null}
            </div>
          </Card>
          <Card title="What it changes">
            {subscriptions.length === 0 ? (
              <p>Nothing now: this wallet subscribes to nothing that is paid in this token.</p>
            ) : (
              <>
                {isNoLonger(subscriptions) ? (
                  <Note kind="mind">
                    <p>
                      Nothing lasts longer with it now. Ask its owner whether it is still needed before you
                      carry it.
                    </p>
                  </Note>
                ) : null}
                <ul class="carry__plans">
                  {subscriptions.map((row) => (
                    <li key={row.id}>
                      <p>
                        <Plan id={row.id} account={account} answers={answers} />
                      </p>
                      <p>
                        <span class="quiet">Now:</span> <Cover covers={row.before} />
                      </p>
                      <p>
                        <span class="quiet">Then:</span> <Cover covers={row.after} />
                      </p>
                      {row.after.limitedBy === 'balance' ? (
                        <p class="quiet">{moneyWords(row.after)}</p>
                      ) : null}
                    </li>
                  ))}
                </ul>
              </>
            )}
          </Card>
        </div>
        <Card title="What it costs you">
          <div class="stack">
            <p>
              <strong>The network’s fee, in ETH.</strong> Nothing else of yours is at stake: you give no
              permission of your own, and none of your tokens move.
            </p>
            <p>Nobody pays you for it.</p>
            <Button kind="primary" isWide onClick={() => askToSign(carryRequest(signed, onDone))}>
              Carry it
            </Button>
            <p class="quiet">You see the fee before you sign. If somebody else is faster, nothing is sent.</p>
          </div>
        </Card>
      </div>
    </>
  )
}

/** Whether carrying it changes the end of no subscription. */
function isNoLonger(subscriptions: Carried['subscriptions']): boolean {
  return subscriptions.every(({ before, after }) => before.failsOn?.dayNumber === after.failsOn?.dayNumber)
}

interface PlanProps {
  readonly id: string
  readonly account: GetAccountAnswer | undefined
  readonly answers: Permission['answers']
}

/** A plan by its name, where the page of its subscriber came with that; else by its id. */
function Plan({ id, account, answers }: PlanProps) {
  const plan = account?.subscribedTo.find(({ subscription }) => subscription.id === id)?.subscription
  if (plan === undefined) {
    return (
      <>
        A subscription <Hash hash={id} what="plan’s id" />
      </>
    )
  }
  return (
    <strong>
      <PlanName plan={plan} texts={planTexts(plan, answers)} />
    </strong>
  )
}

/** How many payments money and permission do for (`periods`; null without end), and the day of the first one that fails. */
type Covers = Carried['subscriptions'][number]['before']

/** How long money and permission last. */
function Cover({ covers }: { readonly covers: Covers }) {
  const { periods, failsOn } = covers
  if (periods === null) return <>covered without end</>
  const through = coveredThrough(covers)
  if (through !== undefined) {
    return (
      <>
        covered through <DueDay day={through} />
      </>
    )
  }
  return (
    <>
      the next payment is not covered
      {failsOn === null ? null : (
        <>
          , and it ends on <DueDay day={failsOn} />
        </>
      )}
    </>
  )
}

/** What is said below a subscription that ends for want of money even after the permission is carried. */
function moneyWords({ until }: Covers): string {
  return until === null
    ? 'The wallet holds too little money. No permission helps with that.'
    : 'After that day the wallet needs more money.'
}
