import { useSignal } from '@preact/signals'
import { RemitError, type Webhook } from '@remit/client'
import { useEffect } from 'preact/hooks'
import type { Address } from 'viem'
import { Button } from '../../design/Button.tsx'
import { Badge, Card, Note } from '../../design/Card.tsx'
import { Dialog } from '../../design/Dialog.tsx'
import { later } from '../../design/later.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { api, root } from '../../page/api.ts'
import { asked } from '../../page/Resource.ts'
import { errorWords } from '../../words/errors.ts'
import { momentWords } from '../../words/time.ts'

const webhooks = asked('listWebhooks', { first: 100 })

const PAUSED: Readonly<Record<NonNullable<Webhook['pausedReason']>, string>> = {
  owner: 'Paused by you',
  gone: 'Paused: it answered 410, gone',
  failing: 'Paused: nothing got through for five days',
}

/** Most make none. */
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

function List({ of: all }: { readonly of: readonly Webhook[] }) {
  const problem = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const resume = async (id: string) => {
    problem.value = undefined
    isBusy.value = true
    try {
      await api.resumeWebhook({ id })
    } catch (error) {
      problem.value = errorWords(error)
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
                <h3>{webhook.description ?? webhook.url}</h3>
                <p class="portal__state quiet">
                  <code>{webhook.id}</code>
                  <Standing of={webhook} />
                </p>
              </div>
              <div class="portal__acts">
                <Button
                  isSmall
                  isOff={isBusy.value || webhook.status === 'active'}
                  onClick={() => void resume(webhook.id)}
                  label={`Resume ${webhook.description ?? webhook.url}`}
                >
                  Resume
                </Button>
              </div>
            </div>
          </li>
        ))}
      </ul>
      {problem.value === undefined ? null : (
        <div role="alert">
          <Note kind="bad">{problem.value}</Note>
        </div>
      )}
    </>
  )
}

function Standing({ of: { pausedReason, failingSince } }: { readonly of: Webhook }) {
  if (pausedReason !== null) return <Badge kind="mind">{PAUSED[pausedReason]}</Badge>
  if (failingSince === null) return <Badge kind="good">Active</Badge>
  return <Badge kind="mind">Failing since {momentWords(new Date(failingSince * 1000))}</Badge>
}
