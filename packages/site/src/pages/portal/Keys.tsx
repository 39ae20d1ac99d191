import { useSignal } from '@preact/signals'
import { type ApiKey, UnauthorizedError } from '@remit/client'
import { useEffect } from 'preact/hooks'
import { Button } from '../../design/Button.tsx'
import { Card } from '../../design/Card.tsx'
import { Dialog } from '../../design/frame/Dialog.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { api } from '../../page/api.ts'
import { asked } from '../../page/Resource.ts'
import { session } from '../../session/session.ts'
import { errorWords } from '../../words/errors.ts'
import { NameKey, NewKey, ReplaceKey, RevokeKey } from './KeyDialogs.tsx'
import { KeyRow } from './KeyRow.tsx'
import { LaterKey } from './QuickStarts.tsx'

/** The largest page, because revoked keys are in the list too. */
const keys = asked('listKeys', { first: 100 })

/** The subject of the open dialog. All actions happen in dialogs, so that the list stays in place. */
type Talk =
  | { readonly about: 'making' }
  | { readonly about: 'made'; readonly token: string; readonly isReplacing: boolean }
  | { readonly about: 'using' | 'renaming' | 'replacing' | 'revoking'; readonly key: ApiKey }

const TITLES: Readonly<Record<Talk['about'], string>> = {
  making: 'Make a key',
  made: 'Your new key',
  using: 'Use the key',
  renaming: 'Rename the key',
  replacing: 'Replace the key?',
  revoking: 'Revoke the key?',
}

/** Makes, shows, names, replaces and revokes the keys of the wallet that has signed in. */
export function Keys() {
  const talk = useSignal<Talk | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  useEffect(() => {
    void keys.refresh()
  }, [])
  const known = keys.value
  useEffect(() => {
    // The session has ended: without it, the page offers to sign in.
    if (known.state === 'failed' && known.error instanceof UnauthorizedError) void session.refresh()
  }, [known])
  const open = (next: Talk | undefined) => {
    problem.value = undefined
    talk.value = next
  }
  /** Does something, then opens the dialog that follows it, or closes. A failure stays in the open dialog. */
  const act = async (work: () => Promise<Talk | undefined>) => {
    problem.value = undefined
    isBusy.value = true
    try {
      open(await work())
    } catch (error) {
      problem.value = errorWords(error)
    } finally {
      isBusy.value = false
      await keys.refresh()
    }
  }
  const make = (label: string) =>
    act(async () => {
      const { token } = await api.createKey(label === '' ? {} : { label })
      return { about: 'made', token, isReplacing: false }
    })
  const rename = ({ id }: ApiKey, label: string) =>
    act(async () => {
      await api.renameKey({ id, label: label === '' ? null : label })
      return undefined
    })
  const replace = ({ id }: ApiKey) =>
    act(async () => ({ about: 'made', token: (await api.rotateKey({ id })).token, isReplacing: true }))
  const revoke = ({ id }: ApiKey) =>
    act(async () => {
      await api.revokeKey({ id })
      return undefined
    })
  const now = talk.value
  const state = { isBusy: isBusy.value, problem: problem.value }
  return (
    <>
      <Card
        title="Your keys"
        beside={
          <Button kind="primary" isSmall onClick={() => open({ about: 'making' })}>
            Make a key
          </Button>
        }
      >
        <Shown of={keys} lines={6}>
          {({ keys: all }) => {
            // Newest last, so that a new key moves no other.
            const live = all.filter(isLive).reverse()
            if (live.length === 0) return <Empty title="You have no keys." />
            return (
              <ul>
                {live.map((key) => (
                  <KeyRow
                    key={key.id}
                    apiKey={key}
                    isBusy={isBusy.value}
                    onUse={() => open({ about: 'using', key })}
                    onRename={() => open({ about: 'renaming', key })}
                    onReplace={() => open({ about: 'replacing', key })}
                    onRevoke={() => open({ about: 'revoking', key })}
                  />
                ))}
              </ul>
            )
          }}
        </Shown>
      </Card>
      <Dialog
        title={now === undefined ? '' : TITLES[now.about]}
        isOpen={now !== undefined}
        onClose={() => open(undefined)}
      >
        {now?.about === 'making' ? (
          <NameKey {...state} act="Make the key" save={(label) => void make(label)} />
        ) : null}
        {now?.about === 'made' ? <NewKey token={now.token} isReplacing={now.isReplacing} /> : null}
        {now?.about === 'using' ? <LaterKey inPlace={`${now.key.prefix}…`} /> : null}
        {now?.about === 'renaming' ? (
          <NameKey
            {...state}
            label={now.key.label}
            act="Save the name"
            save={(label) => void rename(now.key, label)}
          />
        ) : null}
        {now?.about === 'replacing' ? (
          <ReplaceKey {...state} apiKey={now.key} replace={() => void replace(now.key)} />
        ) : null}
        {now?.about === 'revoking' ? (
          <RevokeKey {...state} apiKey={now.key} revoke={() => void revoke(now.key)} />
        ) : null}
      </Dialog>
    </>
  )
}

function isLive({ revokedAt, expiresAt }: ApiKey): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt * 1000 > Date.now())
}
