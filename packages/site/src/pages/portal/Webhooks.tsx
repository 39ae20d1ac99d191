import { useSignal } from '@preact/signals'
import type { Webhook } from '@remit/client'
import { useEffect } from 'preact/hooks'
import { Button } from '../../design/Button.tsx'
import { Badge, Card, Note } from '../../design/Card.tsx'
import { api } from '../../page/api.ts'
import { asked } from '../../page/Resource.ts'
import { errorWords } from '../../words/errors.ts'
import { momentWords } from '../../words/time.ts'

const webhooks = asked('listWebhooks', { first: 100 })

const PAUSED: Readonly<Record<NonNullable<Webhook['pausedReason']>, string>> = {
  owner: 'Paused by you',
  gone: 'Paused: it answered 410, gone',
  failing: 'Paused: nothing got through for five days',
}

/** The webhooks of the wallet that has signed in: whether each is active, and if not, why. */
export function Webhooks() {
  const problem = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  useEffect(() => {
    void webhooks.refresh()
  }, [])
  const known = webhooks.value
  // Most have none, and many services have webhooks switched off.
  if (known.state !== 'there' || known.answer.webhooks.length === 0) return null
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
    <Card title="Your webhooks">
      <ul>
        {known.answer.webhooks.map((webhook) => (
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
    </Card>
  )
}

function Standing({ of: { pausedReason, failingSince } }: { readonly of: Webhook }) {
  if (pausedReason !== null) return <Badge kind="mind">{PAUSED[pausedReason]}</Badge>
  if (failingSince === null) return <Badge kind="good">Active</Badge>
  return <Badge kind="mind">Failing since {momentWords(new Date(failingSince * 1000))}</Badge>
}
