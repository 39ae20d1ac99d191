import type { Progress, Waiting } from '@remit/client'
import { element, heading, show } from './element.ts'
import { deedOf, short, waitingWords } from './words.ts'

type State = 'waiting' | 'now' | 'done' | 'failed'

interface Step {
  readonly text: string
  readonly state: State
  readonly note: string
}

/** The steps of one sending, as they come. */
export class Steps {
  readonly #place: HTMLElement
  readonly #walletName: string
  #check: Step = { text: 'Prepare the transactions and check them', state: 'now', note: '' }
  #signatures: readonly Step[] = []

  constructor(place: HTMLElement, walletName: string) {
    this.#place = place
    this.#walletName = walletName
    this.#render('Subscribing')
    place.querySelector('h2')?.focus()
  }

  tell(progress: Progress): void {
    const { kind, step, of } = progress
    if (kind === 'waiting') {
      this.#wait(progress)
    } else if (kind === 'prepared') {
      this.#signatures = Array.from({ length: of }, () => ({
        text: 'Sign in the wallet',
        state: 'waiting',
        note: '',
      }))
    } else if (kind === 'checked') {
      this.#check = { ...this.#check, state: 'done', note: 'They do what was asked for, and nothing else.' }
    } else {
      const text = deedOf(progress.functions)
      this.#signatures = Array.from({ length: of }, (_, index) => {
        const known = this.#signatures[index]
        if (index !== step - 1) return known ?? { text: 'Sign in the wallet', state: 'waiting', note: '' }
        // Of calls that the wallet took together, each tells when it is mined: the step stays all that was signed.
        return { text: kind === 'signing' ? text : (known?.text ?? text), ...this.#standing(progress) }
      })
    }
    this.#render('Subscribing')
  }

  /** A note at the step that waits. */
  #wait(waiting: Waiting): void {
    const note = waitingWords(waiting)
    if (waiting.step === 0) this.#check = { ...this.#check, note }
    this.#signatures = this.#signatures.map((signature, index) =>
      index === waiting.step - 1 ? { ...signature, note } : signature,
    )
  }

  #standing(progress: Exclude<Progress, Waiting | { kind: 'prepared' | 'checked' }>): Omit<Step, 'text'> {
    if (progress.kind === 'signing') return { state: 'now', note: `Confirm it in ${this.#walletName}.` }
    if (progress.kind === 'sent') return { state: 'now', note: 'Sent; waiting for the chain.' }
    return { state: 'done', note: `In block ${progress.blockNumber}, transaction ${short(progress.hash)}.` }
  }

  succeed(sentence: string): void {
    this.#render('Done', element('p', { className: 'success' }, sentence))
    this.#place.querySelector('h2')?.focus()
  }

  /** @param after what there is to say and to do about it */
  fail(...after: readonly (HTMLElement | undefined)[]): void {
    const failed = (step: Step): Step =>
      step.state === 'now' ? { ...step, state: 'failed', note: '' } : step
    this.#check = failed(this.#check)
    this.#signatures = this.#signatures.map(failed)
    this.#render('It was not finished', ...after)
    this.#place.querySelector('h2')?.focus()
  }

  #render(title: string, ...after: readonly (HTMLElement | undefined)[]): void {
    const items = [this.#check, ...this.#signatures].map(({ text, state, note }) =>
      element(
        'li',
        { className: state },
        element('span', { className: 'mark' }, MARKS[state]),
        element('span', {}, text, element('small', {}, note)),
      ),
    )
    show(
      this.#place,
      heading('progress-title', title),
      element('ol', { className: 'steps', ariaLabel: 'Steps' }, ...items),
      ...after,
    )
  }
}

/** Read out as well as seen. */
const MARKS: Readonly<Record<State, string>> = {
  waiting: '○ to come',
  now: '◐ now',
  done: '● done',
  failed: '✕ not done',
}
