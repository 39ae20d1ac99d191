import { useSignal } from '@preact/signals'
import { type CreateWebhookAnswer, RemitError } from '@remit/client'
import type { Address } from 'viem'
import { Button } from '../../design/Button.tsx'
import { Note } from '../../design/Card.tsx'
import { Field } from '../../design/Field.tsx'
import { Copy } from '../../design/values/Address.tsx'
import { api, root } from '../../page/api.ts'
import { errorWords } from '../../words/errors.ts'
import { noAnswerWords } from './noAnswerWords.ts'

interface NewWebhookProps {
  /** The wallet that has signed in. */
  readonly owner: Address
  /** Called when there is one more. */
  onMade(): void
}

/** Whose events are sent: as a rule those of the wallet’s own plans. */
const CONCERNS = {
  provider: 'My plans: who subscribes, pays, leaves or cannot pay',
  account: 'My subscriptions: what this wallet pays',
  all: 'Everything on the chain',
} as const

const isConcern = (text: string): text is keyof typeof CONCERNS => text in CONCERNS

/** The form that makes a webhook; then its secret, which nobody can show again. */
export function NewWebhook({ owner, onMade }: NewWebhookProps) {
  const made = useSignal<CreateWebhookAnswer | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const make = async (form: FormData) => {
    const read = (name: string) => String(form.get(name) ?? '').trim()
    const concern = read('concern')
    const description = read('description')
    problem.value = undefined
    isBusy.value = true
    try {
      made.value = await api.createWebhook({
        url: read('url'),
        ...(isConcern(concern) && concern !== 'all' ? { filters: { [concern]: owner } } : {}),
        ...(description === '' ? {} : { description }),
      })
      onMade()
    } catch (error) {
      problem.value = problemWords(error)
    }
    isBusy.value = false
  }
  if (made.value !== undefined) return <Made webhook={made.value} />
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy.value) void make(new FormData(event.currentTarget))
      }}
    >
      <Field
        label="Address of your server"
        hint="It begins with https:// and can be reached from the internet. It is asked at once whether it expects this: it gets a POST with a field “challenge”, and answers 200 with exactly that text."
      >
        {(control) => (
          <input
            {...control}
            name="url"
            type="url"
            required
            maxLength={2048}
            autocomplete="off"
            placeholder="https://shop.example/remit"
          />
        )}
      </Field>
      <Field label="What it is told">
        {(control) => (
          <select {...control} name="concern">
            {Object.entries(CONCERNS).map(([concern, words]) => (
              <option key={concern} value={concern}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Name" hint="What it is for. Only you see it. It can stay empty.">
        {(control) => <input {...control} name="description" maxLength={200} autocomplete="off" />}
      </Field>
      <Button kind="primary" type="submit" isOff={isBusy.value}>
        {isBusy.value ? 'Asking your server …' : 'Make the webhook'}
      </Button>
      <div role="alert">{problem.value === undefined ? null : <Note kind="bad">{problem.value}</Note>}</div>
    </form>
  )
}

/** Why no webhook was made. The form has no field called `url`, so the service's words about `url` are put into a sentence. */
function problemWords(error: unknown): string {
  if (!(error instanceof RemitError)) return errorWords(error)
  const [issue] = error.issues
  if (issue?.path === 'url') return `The address ${issue.message}.`
  if (error.code !== 'WEBHOOK_UNPROVEN') return errorWords(error)
  const { status, failure } = error.facts
  return status === null
    ? noAnswerWords(failure)
    : `Your server answered ${status}. It must answer 200, and exactly the text of the field “challenge”.`
}

function Made({ webhook: { secret, publicKey } }: { readonly webhook: CreateWebhookAnswer }) {
  return (
    <div class="stack">
      <div role="status">
        <p>
          Your server has answered. It is told of what happens from now on, each time signed with this secret:
        </p>
        <div class="portal__key">
          <code>{secret}</code> <Copy text={secret} what="secret" />
        </div>
      </div>
      <Note kind="mind">
        <p>Keep the secret now: it cannot be shown again.</p>
      </Note>
      <div>
        <p>Or verify with the public key, which is no secret:</p>
        <div class="portal__key">
          <code>{publicKey}</code> <Copy text={publicKey} what="public key" />
        </div>
      </div>
      <p>
        <a href={`${root}/docs/webhooks#verify`}>How to verify what comes</a>, and to change what it is told.
      </p>
    </div>
  )
}
