import { useSignal } from '@preact/signals'
import { RemitError, type TestWebhookAnswer, type Webhook } from '@remit/client'
import { useEffect } from 'preact/hooks'
import type { Address } from 'viem'
import { Button } from '../../design/Button.tsx'
import { Badge, Card, Note } from '../../design/Card.tsx'
import { Dialog } from '../../design/frame/Dialog.tsx'
import { later } from '../../design/later.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { api, root } from '../../page/api.ts'
import { asked } from '../../page/Resource.ts'
import { errorWords } from '../../words/errors.ts'
import { momentWords } from '../../words/time.ts'
import { noAnswerWords } from './noAnswerWords.ts'

const webhooks = asked('listWebhooks', { first: 100 })

const PAUSED: Readonly<Record<NonNullable<Webhook['pausedReason']>, string>> = {
  owner: 'Paused by you',
  gone: 'Paused: it answered 410, gone',
  failing: 'Paused: nothing got through for five days',
}

/** A chunk of its own: most make none. */
const NewWebhook = later(async () => (await import('./NewWebhook.tsx')).NewWebhook)

/** The webhooks of the wallet that has signed in: whether each is active, and if not, why; and how to make one. */
export function Webhooks({ owner }: { readonly owner: Address }) {
  const isMaking = useSignal(false)
  useEffect(() => {
    void webhooks.refresh()
  }, [])
  const known = webhooks.value
  if (
    known.state === 'failed' &&
    known.error instanceof RemitError &&
    known.error.code === 'WEBHOOKS_DISABLED'
  ) {
    return (
      <Card title="Your webhooks">
        <Empty title="There are none here.">
          <p>{known.error.message}</p>
        </Empty>
      </Card>
    )
  }
  return (
    <Card
      title="Your webhooks"
      beside={
        known.state === 'there' ? (
          <Button
            isSmall
            onClick={() => {
              isMaking.value = true
            }}
          >
            Make a webhook
          </Button>
        ) : null
      }
    >
      <Shown of={webhooks} lines={4}>
        {({ webhooks: all }) => (all.length === 0 ? <None /> : <List of={all} />)}
      </Shown>
      <Dialog
        title="Make a webhook"
        isOpen={isMaking.value}
        onClose={() => {
          isMaking.value = false
        }}
      >
        <NewWebhook owner={owner} onMade={() => void webhooks.refresh()} />
      </Dialog>
    </Card>
  )
}

function None() {
  return (
    <Empty title="You have no webhooks.">
      <p>
        A webhook tells a server of yours at once when somebody subscribes, pays, leaves or will not be able
        to pay: it can open an account then, or send a mail.{' '}
        <a href={`${root}/docs/webhooks`}>What is sent, and how to verify it</a>
      </p>
    </Empty>
  )
}

/** What came of a button, in words below the list. */
interface Told {
  readonly kind: 'good' | 'bad'
  readonly text: string
}

const nameOf = ({ description, url }: Webhook) => description ?? url

/** The rows with their buttons. After each action the list is read again. */
function List({ of: all }: { readonly of: readonly Webhook[] }) {
  const told = useSignal<Told | undefined>(undefined)
  /** The webhook that the dialog asks about: whether to delete it. */
  const toDelete = useSignal<Webhook | undefined>(undefined)
  const isBusy = useSignal(false)
  const act = async (work: () => Promise<Told | undefined>) => {
    told.value = undefined
    isBusy.value = true
    try {
      told.value = await work()
    } catch (error) {
      told.value = { kind: 'bad', text: errorWords(error) }
    } finally {
      isBusy.value = false
      await webhooks.refresh()
    }
  }
  return (
    <>
      <ul>
        {all.map((webhook) => (
          <li class="portal__row" key={webhook.id}>
            <div class="portal__head">
              <div>
                <h3>{nameOf(webhook)}</h3>
                <p class="portal__state quiet">
                  <code>{webhook.id}</code>
                  <Standing of={webhook} />
                </p>
              </div>
              <div class="portal__acts">
                {webhook.status === 'active' ? null : (
                  <Button
                    isSmall
                    isOff={isBusy.value}
                    onClick={() => void act(() => resume(webhook))}
                    label={`Resume ${nameOf(webhook)}`}
                  >
                    Resume
                  </Button>
                )}
                <Button
                  isSmall
                  isOff={isBusy.value}
                  onClick={() => void act(() => test(webhook))}
                  label={`Test ${nameOf(webhook)}`}
                >
                  Test
                </Button>
                <Button
                  isSmall
                  kind="danger"
                  isOff={isBusy.value}
                  onClick={() => {
                    toDelete.value = webhook
                  }}
                  label={`Delete ${nameOf(webhook)}`}
                >
                  Delete
                </Button>
              </div>
            </div>
          </li>
        ))}
      </ul>
      <div role={told.value?.kind === 'bad' ? 'alert' : 'status'}>
        {told.value === undefined ? null : <Note kind={told.value.kind}>{told.value.text}</Note>}
      </div>
      <Dialog
        title="Delete the webhook?"
        isOpen={toDelete.value !== undefined}
        onClose={() => {
          toDelete.value = undefined
        }}
      >
        {toDelete.value === undefined ? null : (
          <Delete
            of={toDelete.value}
            remove={(webhook) => {
              toDelete.value = undefined
              void act(() => remove(webhook))
            }}
          />
        )}
      </Dialog>
    </>
  )
}

async function resume({ id }: Webhook): Promise<undefined> {
  await api.resumeWebhook({ id })
}

async function remove({ id }: Webhook): Promise<undefined> {
  await api.deleteWebhook({ id })
}

async function test({ id }: Webhook): Promise<Told> {
  const { delivered, answer } = await api.testWebhook({ id })
  if (!delivered) return { kind: 'bad', text: refusal(answer) }
  return {
    kind: 'good',
    text: `Your server answered ${answer.status} to a test, after ${answer.durationMs} ms.`,
  }
}

function refusal({ status, failure }: TestWebhookAnswer['answer']): string {
  if (status !== null) return `Your server answered ${status} to a test. It should be 200.`
  return `Your server gave no answer to a test. ${noAnswerWords(failure)}`
}

function Delete({ of: webhook, remove }: { readonly of: Webhook; remove(webhook: Webhook): void }) {
  return (
    <div class="stack">
      <p>
        <strong>{nameOf(webhook)}</strong> is told nothing more. What it has not been told yet is lost.
      </p>
      <Button kind="danger" onClick={() => remove(webhook)}>
        Delete it for good
      </Button>
    </div>
  )
}

/** A webhook's state: paused and why, active, or since when nothing has got through. */
function Standing({ of: { pausedReason, failingSince } }: { readonly of: Webhook }) {
  if (pausedReason !== null) return <Badge kind="mind">{PAUSED[pausedReason]}</Badge>
  if (failingSince === null) return <Badge kind="good">Active</Badge>
  return <Badge kind="mind">Failing since {momentWords(new Date(failingSince * 1000))}</Badge>
}
