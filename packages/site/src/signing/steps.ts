import type { Progress, Waiting } from '@remit/client'
import type { Step } from '../design/Steps.tsx'
import { short } from '../design/values/Address.tsx'
import type { PendingSend } from '../pending/pendingSends.ts'
import { atMostWords, momentWords } from '../words/time.ts'

// The list of steps that is shown while something is sent: first the client's check, then one for each transaction. So the
// client's `progress.step`, which counts transactions from 1, is the index of a step here.

/** What the wallet is asked to sign, in words. */
export interface Signing {
  /** The wallet's name. */
  readonly wallet: string
  /** One for each transaction, in order. */
  readonly acts: readonly string[]
}

const CHECK = 'Check that it does what it says, and nothing else'

/** Before anything is signed. */
export function firstSteps({ acts }: Pick<Signing, 'acts'>): readonly Step[] {
  return [{ label: CHECK, state: 'now' }, ...ahead(acts)]
}

/** For what was sent before this page was loaded: one step, which waits. */
export function followedSteps(
  { title, atMs }: Pick<PendingSend, 'title' | 'atMs'>,
  progress?: Progress,
): readonly Step[] {
  const at = momentWords(new Date(atMs))
  const isSlow = progress?.kind === 'waiting'
  const note = `Sent on ${at}. ${isSlow ? 'It is still looked for; you can wait here.' : 'Looking for what came of it …'}`
  return [{ label: title, state: 'now', note }]
}

function ahead(acts: readonly string[]): Step[] {
  return acts.map((label) => ({ label, state: 'ahead' }))
}

/** The steps as they look after this progress event. */
export function stepsAfter(steps: readonly Step[], progress: Progress, signing: Signing): readonly Step[] {
  const { kind, step, of } = progress
  if (kind === 'prepared') return steps
  if (kind === 'checked') return [{ label: CHECK, state: 'done' }, ...steps.slice(1)]
  if (kind === 'waiting') {
    const note = waitingWords(progress)
    return steps.map((one, index) => (index === step ? { ...one, note } : one))
  }
  const { acts, wallet } = signing
  const now = standing(progress, wallet)
  // A wallet with wallet_sendCalls signs all transactions at once: they become one step.
  if (of === 1 && acts.length > 1) return [...steps.slice(0, 1), { label: together(acts), ...now }]
  // Where the wallet turned out not to know wallet_sendCalls, that one step is taken apart again.
  const each = steps.length === acts.length + 1 ? steps : [...steps.slice(0, 1), ...ahead(acts)]
  return each.map((one, index) => (index === step ? { ...one, ...now } : one))
}

function together(acts: readonly string[]): string {
  return acts
    .map((act, index) => (index === 0 ? act : act.charAt(0).toLowerCase() + act.slice(1)))
    .join(', and ')
}

/** The steps after a failure of the one that was under way. */
export function failedSteps(steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => (step.state === 'now' ? { label: step.label, state: 'failed' } : step))
}

/** Progress that is about a transaction. */
type Happened = Exclude<Progress, Waiting | { kind: 'prepared' | 'checked' }>

function standing(progress: Happened, wallet: string): Pick<Step, 'state' | 'note'> {
  if (progress.kind === 'signing') return { state: 'now', note: asking(wallet) }
  if (progress.kind === 'sent') return { state: 'now', note: 'Sent. This mostly takes a few seconds.' }
  return { state: 'done', note: `In block ${progress.blockNumber}, transaction ${short(progress.hash)}` }
}

/** What a person can do if the wallet never answers. */
function asking(wallet: string): string {
  return `Confirm it in ${wallet}. If it shows nothing, load this page again: nothing more is sent until you confirm.`
}

/** What preparing or sending waits for. @param waiting `forMs` is how long it has still to wait */
export function waitingWords(waiting: { readonly for: Waiting['for']; readonly forMs: number }): string {
  const wait = atMostWords(waiting.forMs / 1000)
  switch (waiting.for) {
    case 'limit':
      return `Too much was asked for in this minute. It goes on by itself in ${wait}.`
    case 'block':
      return 'Waiting until your wallet’s network has seen your last transaction.'
    case 'service':
      return `It gets no answer. It asks again in ${wait}.`
    case 'node':
      return 'Waiting until your wallet’s network has seen the step before this one.'
    case 'receipt':
      return 'Sent. It takes longer than usual; you can wait here.'
  }
}
