import { usePageModules } from '@remit/testing/support/browser/usePageModules'
import { describe, expect, it } from 'vitest'

usePageModules()

const read = async (text: string | undefined, isDevChain = false) =>
  (await import('./sponsor.ts')).readSponsor(text, isDevChain)

describe('a paymaster in a link', () => {
  it.each([
    ['https://pay.example/rpc?policy=1', 'pay.example'],
    [' https://PAY.example:8443 ', 'pay.example:8443'],
    ['https://pаy.example', 'xn--py-7kc.example'],
  ])('is taken with the host that a browser would ask: %s', async (text, host) => {
    expect(await read(text)).toMatchObject({ host })
  })

  it.each([
    undefined,
    '',
    'pay.example',
    'http://pay.example',
    'http://127.0.0.1:4100',
    'javascript:alert(1)',
    'https://pay.example@evil.example',
    'https://pay.example/#',
    `https://pay.example/${'a'.repeat(2_048)}`,
  ])('is none for %s', async (text) => {
    expect(await read(text)).toBeUndefined()
  })

  it('may be on this machine on a development chain', async () => {
    expect(await read('http://127.0.0.1:4100', true)).toEqual({
      url: 'http://127.0.0.1:4100/',
      host: '127.0.0.1:4100',
    })
    expect(await read('http://127.0.0.1.evil.example', true)).toBeUndefined()
  })
})
