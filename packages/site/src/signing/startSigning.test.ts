import type { Signal } from '@preact/signals'
import type { Progress, Sent } from '@remit/client'
import { settled } from '@remit/testing/support/browser/settled'
import { PAGE_CHAIN, usePageModules } from '@remit/testing/support/browser/usePageModules'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConnectedWallet } from '../wallet/wallet.ts'
import type { SigningRequest } from './startSigning.ts'

const HERE = PAGE_CHAIN.chainId
usePageModules({ chain: PAGE_CHAIN })

const A = '0x00000000000000000000000000000000000000aa'
const B = '0x00000000000000000000000000000000000000bb'
const PLAN = `0x${'11'.repeat(32)}` as const

const SENT: Sent = {
  kind: 'sent',
  step: 1,
  of: 1,
  functions: ['unsubscribe'],
  hash: `0x${'22'.repeat(32)}`,
  callsId: null,
  from: A,
  calls: [{ to: B, data: '0x' }],
  sentAfter: 7,
}
const OUTCOME = { status: 'success', transactions: [], events: [], callsId: null, chainId: HERE }

/** What the browser stores; another page of the site has it too. */
let stored = new Map<string, string>()
beforeEach(() => {
  stored = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
})
afterEach(() => vi.doUnmock('../wallet/signing.ts'))

/** A run that has been opened on a page that was just loaded, in a wallet that the test holds. */
async function open() {
  vi.resetModules()
  const preparedFor: string[] = []
  const sentFrom: unknown[] = []
  const followed: Sent[] = []
  let tell: (progress: Progress) => void = () => {}
  let end = (_outcome: object) => {}
  let fail = (_error: Error) => {}
  const outcome = () =>
    new Promise((resolve, reject) => {
      end = resolve
      fail = reject
    })
  const flow = {
    async prepare(from: string) {
      preparedFor.push(from)
      return { warnings: [] }
    },
    send(wallet: { account: unknown }, { onProgress }: { onProgress(progress: Progress): void }) {
      sentFrom.push(wallet.account)
      tell = onProgress
      return outcome()
    },
    follow(_wallet: unknown, sent: Sent) {
      followed.push(sent)
      return outcome()
    },
  }
  vi.doMock('../wallet/signing.ts', () => ({
    openSigning: ({ address }: ConnectedWallet) => ({
      client: { unsubscribe: () => flow },
      wallet: { account: { address } },
    }),
  }))
  // Nobody waits then for what is loaded only when it is needed.
  await import('../wallet/signing.ts')
  const { connected } = await import('../wallet/wallet.ts')
  const { startSigning } = await import('./startSigning.ts')
  // It is loaded with the first that is prepared, which takes longer than what is waited for here.
  await import('./sponsor.ts')
  const { StillPendingError } = await import('@remit/client/testing/sending/errors')
  const words: SigningRequest<'unsubscribe'> = {
    title: 'Leave',
    verb: 'Leave',
    act: 'Leave',
    done: 'You have left.',
    asked: { flow: 'unsubscribe', request: { id: PLAN } },
    review: () => null,
    receipt: () => null,
  }
  const run = startSigning(words)
  const show = async (address: string | undefined, chainId = HERE) => {
    // Safe: the wallet's own signal, which only the wallet writes elsewhere.
    ;(connected as Signal<ConnectedWallet | undefined>).value =
      address === undefined
        ? undefined
        : ({
            wallet: { key: 'test', name: 'Test', icon: undefined, provider: { request: async () => null } },
            address,
            chainId,
          } as unknown as ConnectedWallet)
    await settled()
  }
  const press = async () => {
    const { value } = run.phase
    if (value.kind === 'review') value.send()
    await settled()
  }
  const after = async (act: () => void) => {
    act()
    await settled()
  }
  return {
    run,
    preparedFor,
    sentFrom,
    followed,
    show,
    press,
    tell: (progress: Progress) => after(() => tell(progress)),
    end: (error: Error) => fail(error),
    finish: () => after(() => end(OUTCOME)),
    giveUp: () => after(() => fail(new StillPendingError('It', undefined))),
  }
}

const isPendingSend = () => JSON.parse(stored.get('remit.sent') ?? '[]').length === 1

describe('a run', () => {
  it('is prepared once for whoever would sign it: not anew behind a lock or another chain, but for another account', async () => {
    const { run, preparedFor, show } = await open()
    await show(A, 1)
    expect(preparedFor).toEqual([])
    await show(A)
    await show(undefined)
    await show(A, 1)
    await show(A)
    expect(preparedFor).toEqual([A])
    await show(B)
    expect(preparedFor).toEqual([A, B])
    expect(run.account.value).toBe(B)
    run.putAway()
    await show(A)
    expect(preparedFor).toEqual([A, B])
  })

  it('that is being signed stays that of its signer, until it is looked at again', async () => {
    const { run, preparedFor, sentFrom, show, press, end } = await open()
    await show(A)
    await press()
    await show(B)
    expect(sentFrom).toMatchObject([{ address: A }])
    expect([run.phase.value.kind, run.account.value]).toEqual(['sending', A])
    end(new Error('locked'))
    await settled()
    await show(undefined)
    expect(run.phase.value.kind).toBe('stopped')
    run.lookAgain()
    expect(run.phase.value.kind).toBe('preparing')
    await show(B)
    expect(preparedFor).toEqual([A, B])
    expect([run.phase.value.kind, run.account.value]).toEqual(['review', B])
  })
})

describe('what a run has sent', () => {
  it('is looked for on the next load, and is not prepared a second time', async () => {
    const first = await open()
    await first.show(A)
    await first.press()
    expect(isPendingSend()).toBe(false)
    await first.tell(SENT)
    expect(isPendingSend()).toBe(true)

    const { run, preparedFor, followed, show, finish } = await open()
    await show(A)
    expect([run.phase.value.kind, followed, preparedFor]).toEqual(['sending', [SENT], []])
    await finish()
    expect([run.phase.value.kind, isPendingSend()]).toEqual(['done', false])
  })

  it('is the business of the account that sent it', async () => {
    const first = await open()
    await first.show(A)
    await first.press()
    await first.tell(SENT)

    const { preparedFor, followed, show } = await open()
    await show(B)
    expect([preparedFor, followed]).toEqual([[B], []])
    await show(A)
    expect([preparedFor, followed]).toEqual([[B], [SENT]])
  })

  it('has not failed while nobody knows, and is looked for again until its sender knows better', async () => {
    const { run, preparedFor, followed, show, press, tell, giveUp } = await open()
    await show(A)
    await press()
    await tell(SENT)
    await giveUp()
    const { value } = run.phase
    if (value.kind !== 'stopped') throw new Error(value.kind)
    expect([value.trouble.title, value.open?.sent]).toEqual(['It is not confirmed yet', SENT])
    expect(JSON.stringify(value)).not.toMatch(/Nothing was sent|"failed"/)
    run.lookAgain()
    await settled()
    expect([run.phase.value.kind, followed]).toEqual(['sending', [SENT]])
    await giveUp()
    expect(preparedFor).toEqual([A])
    run.stopWaiting()
    await settled()
    expect([run.phase.value.kind, preparedFor, isPendingSend()]).toEqual(['review', [A, A], false])
  })

  it('from another tab is looked for in this one too', async () => {
    const { run, followed, show } = await open()
    await show(A)
    expect(run.phase.value.kind).toBe('review')
    const asked = { flow: 'unsubscribe', request: { id: PLAN } }
    const row = {
      asked,
      title: 'Leave',
      done: '',
      chainId: HERE,
      contract: null,
      atMs: Date.now(),
      sent: SENT,
    }
    stored.set('remit.sent', JSON.stringify([row]))
    window.dispatchEvent(Object.assign(new Event('storage'), { key: 'remit.sent' }))
    await settled()
    expect([run.phase.value.kind, followed]).toEqual(['sending', [SENT]])
  })

  it('is known to this page where the browser stores nothing', async () => {
    vi.stubGlobal('localStorage', undefined)
    const { run, followed, show, press, tell, giveUp } = await open()
    await show(A)
    await press()
    await tell(SENT)
    await giveUp()
    run.lookAgain()
    await settled()
    expect(followed).toEqual([SENT])
  })

  it('is forgotten where it was a part that is mined', async () => {
    const { show, press, tell } = await open()
    await show(A)
    await press()
    await tell({ ...SENT, of: 2 })
    expect(isPendingSend()).toBe(true)
    const { functions, hash } = SENT
    await tell({ kind: 'mined', step: 1, of: 2, functions, hash: hash ?? '0x', blockNumber: 8 })
    expect(isPendingSend()).toBe(false)
  })
})
