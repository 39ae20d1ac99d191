import { expect, it } from 'vitest'
import { baseUrl } from './baseUrl.ts'

it.each([
  ['https://remit.example', 'https://remit.example'],
  ['https://remit.example/', 'https://remit.example'],
  ['http://localhost:3000/api', 'http://localhost:3000/api'],
  ['https://remit.example/pay/api//', 'https://remit.example/pay/api'],
  [new URL('https://remit.example/api/'), 'https://remit.example/api'],
])('%s is %s', (url, base) => {
  expect(baseUrl(url)).toBe(base)
})

it.each([
  '',
  'remit.example',
  'ftp://remit.example',
  'https://u:hunter2@remit.example',
  'https://remit.example/?key=hunter2',
  'https://remit.example/#hunter2',
])('refuses %j without repeating it', (url) => {
  expect(() => baseUrl(url)).toThrow(/^url must /)
  expect(() => baseUrl(url)).not.toThrow(/hunter2/)
})
