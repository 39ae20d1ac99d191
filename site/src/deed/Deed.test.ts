import type { Signal } from '@preact/signals'
import { describe, expect, it } from 'vitest'
import { settled } from '../../../test/support/browser/settled.ts'
import { usePageModules } from '../../../test/support/browser/usePageModules.ts'
import type { ConnectedWallet } from '../wallet/wallet.ts'
import type { DeedWords, PreparedAnswer } from './Deed.ts'

const HERE = 31_337
usePageModules({
  chain: {
    chainId: HERE,
    name: 'Here',
    isDefault: true,
    devRpcUrl: null,
    contract: null,
    block: null,
    today: null,
  },
})

const A = '0x00000000000000000000000000000000000000aa'
const B = '0x00000000000000000000000000000000000000bb'

/** A deed that has been opened, in a wallet that the test holds. */
async function open() {
  // Nobody waits then for what is loaded only when it is needed.
  await import('../wallet/signing.ts')
  const { connected } = await import('../wallet/wallet.ts')
  const { createDeed } = await import('./Deed.ts')
  const preparedFor: string[] = []
  const sentFrom: unknown[] = []
  let end = (_error: Error) => {}
  const words: DeedWords<PreparedAnswer, object> = {
    title: 'Leave',
    verb: 'Leave',
    act: 'Leave',
    flow: () => ({
      async prepare(from) {
        preparedFor.push(from)
        return { warnings: [] }
      },
      send(wallet) {
        sentFrom.push(wallet.account)
        return new Promise((_resolve, reject) => {
          end = reject
        })
      },
    }),
    review: () => null,
    receipt: () => null,
  }
  const deed = createDeed(words)
  const show = async (address: string | undefined, chainId = HERE) => {
    // Safe: the wallet's own signal, which only the wallet writes elsewhere.
    ;(connected as Signal<ConnectedWallet | undefined>).value =
      address === undefined
        ? undefined
        : ({
            wallet: { key: 'test', name: 'Test', icon: undefined, provider: { request: () => {} } },
            address,
            chainId,
          } as unknown as ConnectedWallet)
    await settled()
  }
  const press = async () => {
    const { value } = deed.phase
    if (value.kind === 'review') value.send()
    await settled()
  }
  return { deed, preparedFor, sentFrom, show, press, end: (error: Error) => end(error) }
}

describe('a deed', () => {
  it('is prepared once for whoever would sign it: not anew behind a lock or another chain, but for another account', async () => {
    const { deed, preparedFor, show } = await open()
    await show(A, 1)
    expect(preparedFor).toEqual([])
    await show(A)
    await show(undefined)
    await show(A, 1)
    await show(A)
    expect(preparedFor).toEqual([A])
    await show(B)
    expect(preparedFor).toEqual([A, B])
    expect(deed.account.value).toBe(B)
    deed.putAway()
    await show(A)
    expect(preparedFor).toEqual([A, B])
  })

  it('that is being signed stays that of its signer, until it is looked at again', async () => {
    const { deed, preparedFor, sentFrom, show, press, end } = await open()
    await show(A)
    await press()
    await show(B)
    expect(sentFrom).toMatchObject([{ address: A }])
    expect([deed.phase.value.kind, deed.account.value]).toEqual(['sending', A])
    end(new Error('locked'))
    await settled()
    await show(undefined)
    expect(deed.phase.value.kind).toBe('stopped')
    deed.lookAgain()
    expect(deed.phase.value.kind).toBe('preparing')
    await show(B)
    expect(preparedFor).toEqual([A, B])
    expect([deed.phase.value.kind, deed.account.value]).toEqual(['review', B])
  })
})
