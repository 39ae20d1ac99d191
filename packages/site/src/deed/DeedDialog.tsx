import './deed.css'
import { effect, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Address, Hash } from '../design/Address.tsx'
import { Button } from '../design/Button.tsx'
import { Note } from '../design/Card.tsx'
import { Dialog } from '../design/Dialog.tsx'
import { Loading } from '../design/State.tsx'
import { Steps } from '../design/Steps.tsx'
import { linkTo } from '../page/api.ts'
import { pageData } from '../page/pageData.ts'
import { type FlowName, keptOf } from '../sent/kept.ts'
import { WalletChoice, WrongChain } from '../wallet/WalletButton.tsx'
import { connected } from '../wallet/wallet.ts'
import { createDeed, type Deed, type DeedWords, type Phase, signer } from './Deed.ts'
import { ReviewFoot } from './ReviewFoot.tsx'

const current = signal<Deed | undefined>(undefined)
const isOpen = signal(false)

/** Opens the dialog that prepares something, shows it, and has it signed. */
export function openDeed<Name extends FlowName>(words: DeedWords<Name>): void {
  const phase = current.peek()?.phase.peek()
  if (phase?.kind === 'sending' || (phase?.kind === 'stopped' && phase.open !== undefined)) {
    isOpen.value = true
    return
  }
  current.peek()?.putAway()
  current.value = createDeed(words)
  isOpen.value = true
}

function close(): void {
  isOpen.value = false
  const deed = current.peek()
  // A sending continues and can be opened again.
  if (deed === undefined || deed.phase.peek().kind === 'sending') return
  current.value = undefined
  deed.putAway()
}

// What the account has sent before this page was loaded, from whichever page or tab, is looked for first.
effect(() => {
  const [sent] = keptOf(signer.value)
  if (sent === undefined || current.value !== undefined) return
  current.value = createDeed({
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

/** Where a page's deeds are shown. It stands once on the page. */
export function DeedDialog() {
  const deed = current.value
  return (
    <>
      {deed !== undefined && !isOpen.value ? (
        <Note kind="mind">
          <p>
            “{deed.title}” {STATES[deed.phase.value.kind] ?? 'is under way'}.
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
      <Dialog title={deed?.title ?? ''} isOpen={deed !== undefined && isOpen.value} onClose={close}>
        {deed === undefined ? null : <Body deed={deed} />}
      </Dialog>
    </>
  )
}

const STATES: Partial<Record<Phase['kind'], string>> = { done: 'is done', stopped: 'has not come to its end' }

function Body({ deed }: { readonly deed: Deed }) {
  const phase = deed.phase.value
  const place = useRef<HTMLDivElement>(null)
  // Screen readers announce the new state, and the keyboard's focus moves to it.
  const lack = lackOf(phase)
  useEffect(() => place.current?.focus(), [phase.kind, lack])
  return (
    <div class="stack" ref={place} tabIndex={-1}>
      {lack === 'wallet' ? (
        <WalletChoice />
      ) : lack === 'chain' ? (
        <WrongChain />
      ) : (
        <>
          <Account deed={deed} />
          <Stage deed={deed} phase={phase} />
        </>
      )}
    </div>
  )
}

/** What the wallet lacks for a signature. It goes on by itself then; what was signed needs nothing of it. */
function lackOf({ kind }: Phase): 'wallet' | 'chain' | undefined {
  if (kind !== 'preparing' && kind !== 'review') return undefined
  const now = connected.value
  if (now === undefined) return 'wallet'
  return now.chainId === pageData.chain?.chainId ? undefined : 'chain'
}

function Account({ deed }: { readonly deed: Deed }) {
  const { value } = deed.account
  if (value === undefined) return null
  return (
    <p class="row">
      <span class="quiet">With the wallet</span>
      <Address address={value} />
    </p>
  )
}

function Stage({ deed, phase }: { readonly deed: Deed; readonly phase: Phase }): ComponentChildren {
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
          <ReviewFoot prepared={phase.prepared} />
          <div class="deed__buttons">
            <Button kind={deed.isGrave ? 'danger' : 'primary'} onClick={phase.send}>
              {deed.verb}
            </Button>
            <Button kind="quiet" onClick={close}>
              Back
            </Button>
          </div>
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
            <div class="deed__buttons">
              {phase.trouble.canTryAgain && deed.canBegin ? (
                <Button kind="primary" onClick={deed.lookAgain}>
                  Look again
                </Button>
              ) : null}
              <Button onClick={close}>Close</Button>
            </div>
          ) : (
            <Open deed={deed} />
          )}
        </>
      )
  }
}

/** What was sent may still be mined: the dialog looks for it and offers nothing else. */
function Open({ deed }: { readonly deed: Deed }) {
  if (signer.value === undefined) return connected.value === undefined ? <WalletChoice /> : <WrongChain />
  return (
    <div class="deed__buttons">
      <Button kind="primary" onClick={deed.lookAgain}>
        Go on looking
      </Button>
      <Button
        kind="quiet"
        onClick={() => {
          deed.stopWaiting()
          if (!deed.canBegin) close()
        }}
      >
        Stop looking
      </Button>
    </div>
  )
}

const STANDINGS = {
  pending: 'may still go through.',
  success: 'went through.',
  reverted: 'failed.',
  replaced: 'was replaced in the wallet.',
} as const

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
