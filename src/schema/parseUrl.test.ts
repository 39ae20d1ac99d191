import { describe, expect, it } from 'vitest'
import { parseUrl as ofClient } from '../../client/src/request/parseUrl.ts'
import { parseUrl } from './parseUrl.ts'

describe.each([
  ['parseUrl', parseUrl],
  ['the client’s parseUrl', ofClient],
])('%s', (_, parse) => {
  it('goes on to know a URL in the letters of its language, however often it was asked', () => {
    // URL.canParse denies it after some thousand calls on Node 20.
    const denied = Array.from({ length: 50_000 }, () => parse('https://kaffeehäuschen.example/')).filter(
      (url) => url?.host !== 'xn--kaffeehuschen-hfb.example',
    )
    expect(denied).toEqual([])
  })

  it.each(['', '/plans', 'coffee.example', 'https://', 'https://a b.example'])(
    'knows no URL in "%s"',
    (text) => {
      expect(parse(text)).toBeUndefined()
    },
  )
})
