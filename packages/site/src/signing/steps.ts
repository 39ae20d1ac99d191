import type { Progress, Waiting } from '@remit/client'
import { short } from '../design/Address.tsx'
import type { Step } from '../design/Steps.tsx'
import type { PendingSend } from '../pending/pendingSends.ts'
import { atMostWords, momentWords } from '../words/time.ts'

/** What the wallet is asked to sign, in words. */
export interface Signing {
  readonly wallet: string
  /** One for each transaction, in order. */
  readonly acts: readonly string[]
}

const CHECK = 'Check that it does what it says, and nothing else'

export function firstSteps({ acts }: Pick<Signing, 'acts'>): readonly Step[] {
  return [{ label: CHECK, state: 'now' }, ...ahead(acts)]
}

/** Of what was sent before this page was loaded. */
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
  // A wallet with wallet_sendCalls signs all of it at once.
  if (of === 1 && acts.length > 1) return [...steps.slice(0, 1), { label: together(acts), ...now }]
  // A wallet that does not know wallet_sendCalls has been asked for it before: the steps are single ones again.
  const each = steps.length === acts.length + 1 ? steps : [...steps.slice(0, 1), ...ahead(acts)]
  return each.map((one, index) => (index === step ? { ...one, ...now } : one))
}

function together(acts: readonly string[]): string {
  return acts
    .map((act, index) => (index === 0 ? act : act.charAt(0).toLowerCase() + act.slice(1)))
    .join(', and ')
}

/** What was under way has failed. */
export function failedSteps(steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => (step.state === 'now' ? { label: step.label, state: 'failed' } : step))
}

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

/** What it waits for. */
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
