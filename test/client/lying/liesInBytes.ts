import { gzipSync } from 'node:zlib'
import type { Lie, Told } from './Lie.ts'
import type { Attacker } from './lies.ts'
import { at, type Batch } from './Wire.ts'

/** About what the bytes of the answer are. */
export function liesInBytes(attacker: Attacker): Lie[] {
  const harmful = (batch: Batch) => at(batch, -1, () => ({ to: attacker.contract }))
  const textual = (name: string, tell: (text: string, lied: string) => Told): Lie => ({
    name,
    tell: ({ text, batch }) => tell(text, JSON.stringify(harmful(batch))),
  })
  const list = (text: string) => JSON.stringify(JSON.parse(text).unsignedTransactions)
  return [
    textual('has its transactions twice, the attacker’s last', (text, lied) => ({
      body: `${text.slice(0, -1)},"unsignedTransactions":${list(lied)}}`,
    })),
    textual('has its transactions twice, the attacker’s first', (text, lied) => ({
      body: `{"unsignedTransactions":${list(lied)},${text.slice(1)}`,
    })),
    textual('has its chain twice, the attacker’s last', (text) => ({
      body: `${text.slice(0, -1)},"chainId":1}`,
    })),
    textual('has its chain twice, the attacker’s first', (text) => ({
      body: `{"chainId":1,${text.slice(1)}`,
    })),
    textual('has transactions on the prototype of its object', (text, lied) => ({
      body: `{"__proto__":{"unsignedTransactions":${list(lied)}},${text.slice(1)}`,
    })),
    textual('has nothing but a prototype', (_, lied) => ({ body: `{"__proto__":${lied}}` })),
    textual('has a list that is none', (text) => ({
      body: text.replace(list(text), `{"length":1,"0":${list(text).slice(1, -1)}}`),
    })),
    textual('has a list of nothing', (text) => ({ body: text.replace(list(text), '[null]') })),
    textual('is in UTF-16', (text) => ({
      body: Buffer.from(text, 'utf16le'),
      headers: { 'content-type': 'application/json; charset=utf-16' },
    })),
    textual('says UTF-16 and is in UTF-8', (text) => ({
      body: text,
      headers: { 'content-type': 'application/json; charset=utf-16' },
    })),
    textual('is the attacker’s in gzip and says so', (_, lied) => ({
      body: gzipSync(lied),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    })),
    textual('is in gzip and does not say so', (text) => ({ body: gzipSync(text) })),
    textual('says gzip and is not', (text) => ({ body: text, headers: { 'content-encoding': 'gzip' } })),
    textual('begins with a byte order mark', (text) => ({ body: `\uFEFF${text}` })),
    textual('has an answer of the attacker’s behind it', (text, lied) => ({ body: `${text}\n${lied}` })),
    textual('has a number beyond all numbers', (text) => ({
      body: text.replace(/"validUntil":\d+/, '"validUntil":1e999'),
    })),
    textual('is nested without end', (text) => ({
      body: `${text.slice(0, -1)},"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    })),
    textual('is nothing', () => ({ body: '' })),
    textual('is a page', () => ({ body: '<h1>Sign in</h1>', headers: { 'content-type': 'text/html' } })),
    textual('is an error that says success', () => ({ body: '{"error":"no","code":"NOT_READY"}' })),
    textual('is the readiness, with no transactions', (text) => ({
      body: JSON.stringify({ ...JSON.parse(text), unsignedTransactions: undefined, ready: true, issues: [] }),
    })),
    textual('leads elsewhere', (text) => ({
      status: 307,
      headers: { location: 'http://127.0.0.1:9/prepare' },
      body: text,
    })),
  ]
}
