import './signing.css'
import { effect, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../design/Button.tsx'
import { Note } from '../design/Card.tsx'
import { Dialog } from '../design/frame/Dialog.tsx'
import { later } from '../design/later.tsx'
import { Loading } from '../design/State.tsx'
import { Steps } from '../design/Steps.tsx'
import { Address, Hash } from '../design/values/Address.tsx'
import { linkTo } from '../page/api.ts'
import { pageData } from '../page/pageData.ts'
import { type FlowName, pendingOf } from '../pending/pendingSends.ts'
import { WalletChoice, WrongChain } from '../wallet/WalletButton.tsx'
import { connected } from '../wallet/wallet.ts'
import { STANDINGS } from '../words/standings.ts'
import { type Phase, type SigningRequest, type SigningRun, signer, startSigning } from './startSigning.ts'

/** The buttons that sign are in this chunk, together with what to mind: so nothing can be signed before that is shown. */
const ReviewEnd = later(async () => (await import('./ReviewEnd.tsx')).ReviewEnd)

/** The request that is prepared, signed or waited for now (`startSigning.ts`): one at a time. */
const current = signal<SigningRun | undefined>(undefined)
const isOpen = signal(false)

/**
 * Opens the dialog that prepares something, shows it, and has it signed. While an earlier request may still be mined, the dialog shows that
 * one instead, and this one is not begun.
 */
export function askToSign<Name extends FlowName>(words: SigningRequest<Name>): void {
  const phase = current.peek()?.phase.peek()
  if (phase?.kind === 'sending' || (phase?.kind === 'stopped' && phase.open !== undefined)) {
    isOpen.value = true
    return
  }
  current.peek()?.putAway()
  current.value = startSigning(words)
  isOpen.value = true
}

function close(): void {
  isOpen.value = false
  const run = current.peek()
  // What is being sent continues without the dialog, which can be opened again.
  if (run === undefined || run.phase.peek().kind === 'sending') return
  current.value = undefined
  run.putAway()
}

// What the account has sent before this page was loaded, from whichever page or tab, is looked for first.
effect(() => {
  const [sent] = pendingOf(signer.value)
  if (sent === undefined || current.value !== undefined) return
  current.value = startSigning({
    ...sent,
    verb: '',
    act: sent.title,
    receipt: (outcome) => (
      <Note kind="good">
        <p>
          <strong>{sent.done}</strong>{' '}
          {sent.asked.flow === 'createSubscription' && 'subscriptionId' in outcome ? (
            <a href={linkTo(`/subscribe/${outcome.subscriptionId}`)}>This is its page</a>
          ) : null}
        </p>
      </Note>
    ),
  })
})

/** Shows the dialog, and while it is closed a note that leads back to it. A page has it once. */
export function SigningDialog() {
  const run = current.value
  return (
    <>
      {run !== undefined && !isOpen.value ? (
        <Note kind="mind">
          <p>
            “{run.title}” {STATES[run.phase.value.kind] ?? 'is under way'}.
          </p>
          <Button
            isSmall
            onClick={() => {
              isOpen.value = true
            }}
          >
            Show how far it is
          </Button>
        </Note>
      ) : null}
      <Dialog
        title={(run?.phase.value.kind === 'done' ? run.done : run?.title)?.replace(/\.$/, '') ?? ''}
        isOpen={run !== undefined && isOpen.value}
        onClose={close}
      >
        {run === undefined ? null : <Body run={run} />}
      </Dialog>
    </>
  )
}

const STATES: Partial<Record<Phase['kind'], string>> = { done: 'is done', stopped: 'has not come to its end' }

function Body({ run }: { readonly run: SigningRun }) {
  const phase = run.phase.value
  const place = useRef<HTMLDivElement>(null)
  // Screen readers announce the new state, and the keyboard's focus moves to it. It is read from its title on.
  const lack = lackOf(phase)
  useEffect(() => {
    place.current?.focus({ preventScroll: true })
    place.current?.closest('dialog')?.scrollTo(0, 0)
  }, [phase.kind, lack])
  return (
    <div class="stack" ref={place} tabIndex={-1}>
      {lack === 'wallet' ? (
        <WalletChoice />
      ) : lack === 'chain' ? (
        <WrongChain />
      ) : (
        <>
          <Account run={run} />
          <Stage run={run} phase={phase} />
        </>
      )}
    </div>
  )
}

/** What is missing before something can be signed. Once it is there, the run goes on by itself. After the signature nothing is missing. */
function lackOf({ kind }: Phase): 'wallet' | 'chain' | undefined {
  if (kind !== 'preparing' && kind !== 'review') return undefined
  const now = connected.value
  if (now === undefined) return 'wallet'
  return now.chainId === pageData.chain?.chainId ? undefined : 'chain'
}

function Account({ run }: { readonly run: SigningRun }) {
  const { value } = run.account
  if (value === undefined) return null
  return (
    <p class="row">
      <span class="quiet">With the wallet</span>
      <Address address={value} />
    </p>
  )
}

function Stage({ run, phase }: { readonly run: SigningRun; readonly phase: Phase }): ComponentChildren {
  switch (phase.kind) {
    case 'preparing':
      return (
        <div aria-live="polite">
          <Loading lines={5} />
          <p class="quiet">{phase.note || 'Preparing it, and trying it out without sending it …'}</p>
        </div>
      )
    case 'review':
      return (
        <>
          {phase.view()}
          <ReviewEnd run={run} phase={phase} close={close} />
        </>
      )
    case 'sending':
      return <Steps steps={phase.steps} />
    case 'done':
      return (
        <>
          <div role="status" class="stack">
            {phase.view()}
            <Transactions rows={phase.outcome.transactions} />
          </div>
          <Button kind="primary" isWide onClick={close}>
            Done
          </Button>
        </>
      )
    case 'stopped':
      return (
        <>
          <div role="alert">
            <Note kind="mind">
              <p>
                <strong>{phase.trouble.title}</strong>
              </p>
              {phase.trouble.sentences.map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </Note>
          </div>
          {phase.steps.length === 0 ? null : <Steps steps={phase.steps} />}
          {phase.sent.map(({ hash, status }) => (
            <p key={hash}>
              <Hash hash={hash} what="transaction" /> {STANDINGS[status]}
            </p>
          ))}
          {phase.open === undefined ? (
            <div class="signing__buttons">
              {phase.trouble.canTryAgain && run.canBegin ? (
                <Button kind="primary" onClick={run.lookAgain}>
                  Look again
                </Button>
              ) : null}
              <Button onClick={close}>Close</Button>
            </div>
          ) : (
            <StillPending run={run} />
          )}
        </>
      )
  }
}

/** What was sent may still be mined: the dialog offers to look for it again, and nothing else. */
function StillPending({ run }: { readonly run: SigningRun }) {
  if (signer.value === undefined) return connected.value === undefined ? <WalletChoice /> : <WrongChain />
  return (
    <div class="signing__buttons">
      <Button kind="primary" onClick={run.lookAgain}>
        Go on looking
      </Button>
      <Button
        kind="quiet"
        onClick={() => {
          run.stopWaiting()
          if (!run.canBegin) close()
        }}
      >
        Stop looking
      </Button>
    </div>
  )
}

function Transactions({
  rows,
}: {
  readonly rows: readonly { readonly hash: string; readonly blockNumber: number }[]
}) {
  return (
    <ul class="stack-small quiet">
      {rows.map(({ hash, blockNumber }) => (
        <li key={hash}>
          Transaction <Hash hash={hash} what="transaction" /> in block {blockNumber}
        </li>
      ))}
    </ul>
  )
}
