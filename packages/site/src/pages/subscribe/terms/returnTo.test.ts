import { describe, expect, it } from 'vitest'
import { returnTo } from './returnTo.ts'

const at = { domain: 'coffee.example', openerOrigin: 'https://shop.example' }

describe('where somebody goes after subscribing', () => {
  it.each([
    ['the provider’s domain over https', 'https://coffee.example/thanks?a=1', at],
    ['the origin that opened the window', 'https://shop.example/thanks', at],
    [
      'that origin over http, as in development',
      'http://localhost:5173/',
      { ...at, openerOrigin: 'http://localhost:5173' },
    ],
    ['the domain in capitals', 'https://COFFEE.example/', { ...at, domain: ' Coffee.Example ' }],
    [
      'a domain in other letters',
      'https://kaffeehäuschen.example/',
      { ...at, domain: 'kaffeehäuschen.example' },
    ],
  ])('is gone to by itself for %s', (_, asked, known) => {
    expect(returnTo(asked, known)).toMatchObject({ isTrusted: true })
  })

  it.each([
    ['the domain without https', 'http://coffee.example/', at, 'coffee.example'],
    ['a domain below it', 'https://a.coffee.example/', at, 'a.coffee.example'],
    ['a domain that ends like it', 'https://evil-coffee.example/', at, 'evil-coffee.example'],
    ['another port', 'https://coffee.example:8443/', at, 'coffee.example:8443'],
    ['the opener’s host with another scheme', 'http://shop.example/', at, 'shop.example'],
    ['letters that look alike', 'https://сoffee.example/', at, 'xn--offee-0ye.example'],
    ['a profile without a domain', 'https://coffee.example/', { ...at, domain: '' }, 'coffee.example'],
    [
      'a domain with more in it',
      'https://evil.example/',
      { ...at, domain: 'evil.example/x' },
      'evil.example',
    ],
    ['a slash the wrong way', 'https:\\\\evil.example\\coffee.example', at, 'evil.example'],
  ])('is a link that shows its host for %s', (_, asked, known, host) => {
    expect(returnTo(asked, known)).toMatchObject({ isTrusted: false, host })
  })

  it.each([
    'javascript:alert(1)//coffee.example',
    'data:text/html,<script>alert(1)</script>',
    'https://coffee.example@evil.example/',
    'blob:https://coffee.example/x',
    '//evil.example/',
    '/plans',
    'mailto:a@coffee.example',
    '',
  ])('is nowhere for %s', (asked) => {
    expect(returnTo(asked, at)).toBeUndefined()
  })
})
