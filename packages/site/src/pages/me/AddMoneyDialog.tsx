import { Button } from '../../design/Button.tsx'
import { Note } from '../../design/Card.tsx'
import { Dialog } from '../../design/frame/Dialog.tsx'
import { Copy } from '../../design/values/Address.tsx'
import { Money } from '../../design/values/Money.tsx'
import { linkTo } from '../../page/api.ts'
import { answerNow, chainNow, readAgain } from '../../page/live.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { AddMoney } from '../../wallet/AddMoney.tsx'
import { shortMoneyWords } from '../../words/money.ts'
import { type Day, dayWords } from '../../words/time.ts'
import { type Asked, asked, type Missing } from './addMoney.ts'
import { wholeAccount } from './memberships.ts'
import { failureOf } from './verdicts.ts'

function isDue({ dayNumber }: Day): boolean {
  const today = chainNow.value?.today
  return today !== null && today !== undefined && dayNumber <= today
}

/** The dialog "Add money": where to send what is missing, and after a second look, whether it has come. */
export function AddMoneyDialog({ missing }: { readonly missing: Asked }) {
  const close = () => {
    if (asked.peek() === undefined) return
    asked.value = undefined
    void readAgain()
  }
  return (
    <Dialog title="Add money" isOpen onClose={close}>
      <Body missing={missing} close={close} />
    </Dialog>
  )
}

interface BodyProps {
  readonly missing: Asked
  close(): void
}

function Body({ missing, close }: BodyProps) {
  const { stage } = missing
  /** Reads the page again. Whoever closes the dialog meanwhile keeps it closed. */
  const look = async () => {
    asked.value = { ...missing, stage: 'looking' }
    await readAgain()
    if (asked.peek() !== undefined) asked.value = { ...missing, stage: 'looked' }
  }
  const now = stage === 'looked' ? standing(missing) : undefined
  return (
    <div class="stack">
      <div role="status">{now === undefined ? null : <Note kind={now.kind}>{now.words}</Note>}</div>
      {now?.kind === 'good' ? null : <Where missing={missing} />}
      {now?.kind === 'good' ? (
        <Button kind="primary" isWide onClick={close}>
          Done
        </Button>
      ) : (
        <Button kind="primary" isWide isOff={stage === 'looking'} onClick={() => void look()}>
          I have sent it: look again
        </Button>
      )}
    </div>
  )
}

function Where({ missing }: { readonly missing: Missing }) {
  const { plan, money, day, address } = missing
  const all = allMissing(missing)
  return (
    <>
      <p>
        For <PlanName plan={plan} isLinked={false} />
        {isDue(day)
          ? ', at once: it is tried as soon as somebody collects.'
          : `, before ${dayWords(day)} begins (in UTC).`}
      </p>
      <AddMoney missing={money} token={plan.token} address={address} />
      {missing.lacksPermission ? (
        <Note kind="mind">
          <p>Money alone does not save it: the permission is too small for it, too. Extend it as well.</p>
        </Note>
      ) : null}
      {all === undefined ? null : (
        <p>
          {all.isLeast ? 'At least so much is needed' : 'That is enough money'} for this payment alone. Later
          ones in this token, of your other plans too, come out of the same money, so these may last less long
          than now. Send{' '}
          <strong>
            <Money amount={all.quantity.amount} token={plan.token} rounding="up" />
          </strong>{' '}
          {all.isLeast ? 'or more ' : ''}instead, and all of them are paid through {dayWords(all.through)}.
        </p>
      )}
      <p>
        Somebody else can send it for you:{' '}
        <Copy
          text={`${location.origin}${linkTo('/top-up', { account: address, token: plan.token.address, plan: plan.id, day: day.date })}`}
          what="link for a friend"
          isNamed
        />
      </p>
    </>
  )
}

/** What is missing for all payments of the outlook, where that is more than for the next one. */
function allMissing({ plan, money }: Missing) {
  const outlook = answerNow('outlook', 'getAccountOutlook')
  const held = outlook?.wallet.tokens.find(({ token }) => token.address === plan.token.address)
  if (outlook === undefined || held === undefined || held.toAdd.balance.amountRaw <= money.amountRaw)
    return undefined
  return { quantity: held.toAdd.balance, isLeast: held.toAddIs === 'atLeast', through: outlook.through }
}

/** How the payment stands now that the page was read again: it was shown as one that fails. */
function standing({ plan, day, money }: Missing): { readonly kind: 'good' | 'mind'; readonly words: string } {
  const account = wholeAccount.value
  const rows = account.state === 'there' ? account.answer.subscribedTo : []
  const row = rows.find(({ subscription }) => subscription.id === plan.id)
  const outlook = answerNow('outlook', 'getAccountOutlook')
  // Status 0: the subscription runs.
  if (row === undefined || row.status !== 0 || outlook === undefined) {
    return { kind: 'mind', words: 'How it stands now could not be read. Look again in a moment.' }
  }
  const failure = failureOf(row, outlook)
  const safe = `The payment of ${dayWords(day)} is safe now.`
  if (failure === undefined) return { kind: 'good', words: safe }
  const { money: more, day: next } = failure
  if (next.dayNumber > day.dayNumber) {
    return { kind: 'good', words: `${safe} This page says what later ones need.` }
  }
  if (more === undefined) {
    return { kind: 'good', words: 'The money is there. The payment still needs a larger permission.' }
  }
  const needed = shortMoneyWords(more.amount, plan.token, 'up')
  const isSome = more.amountRaw < money.amountRaw
  return {
    kind: 'mind',
    words: isSome
      ? `Something has come. The payment of ${dayWords(day)} still needs ${needed}.`
      : 'It has not come yet. A transfer can take some minutes: look again then.',
  }
}
