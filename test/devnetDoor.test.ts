import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDevClient } from '@remit/devchain/testing/chain/client'
import { startDevnet } from '@remit/devchain/testing/startDevnet'
import { afterAll, describe, expect, it } from 'vitest'
import { browserIsInstalled, useBrowser } from './support/browser/useBrowser.ts'

const FOREIGN = 'evil.example'

const browser = useBrowser([FOREIGN])
const devnet = await startDevnet()
afterAll(() => devnet.stop())
const chain = createDevClient(devnet.url)

let askedAsNode = 0

/** Serves an empty page at an address of this machine, whatever it is called, and counts who asks it as a node. */
async function servePages(address: string): Promise<number> {
  const server = createServer((request, response) => {
    if (request.method === 'POST') askedAsNode += 1
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A page</title>')
  })
  await once(server.listen(0, address), 'listening')
  afterAll(() => void server.close())
  // Safe: it listens on TCP.
  return (server.address() as AddressInfo).port
}

const port = await servePages('127.0.0.1')
const otherPort = await servePages('127.0.0.2')

const RESET = { forking: { jsonRpcUrl: `http://127.0.0.1:${port}` } }

/** What a page does that wants something of the chain, and what came of it. */
const attempts = (url: string, method: string, params: readonly unknown[]) => {
  const body = JSON.stringify(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const post = (type: string, mode: string) => `
    fetch('${url}', { method: 'POST', mode: '${mode}', headers: { 'Content-Type': '${type}' }, body: ${body} })
      .then((answer) => answer.text().then((text) => answer.type === 'opaque' ? 'not told' : answer.status + ' ' + text))
      .catch(() => 'failed')`
  const socket = `
    new Promise((resolve) => {
      const socket = new WebSocket('${url.replace('http', 'ws')}')
      socket.onopen = () => socket.send(${body})
      socket.onmessage = ({ data }) => resolve(data)
      socket.onerror = () => resolve('failed')
    })`
  return { fetch: post('application/json', 'cors'), blind: post('text/plain', 'no-cors'), socket }
}

/** Runs a page's code in a frame that has no origin. */
const inSandbox = (code: string) => `
  new Promise((resolve) => {
    onmessage = ({ data }) => resolve(data)
    const frame = document.createElement('iframe')
    frame.sandbox = 'allow-scripts'
    frame.srcdoc = '<script>(' + ${JSON.stringify(`async () => parent.postMessage(await (${code}), '*')`)} + ')()<' + '/script>'
    document.body.append(frame)
  })`

async function pageOf(site: string) {
  const { page } = await browser.open()
  await page.goto(`http://${site}/`)
  return { told: (code: string) => page.evaluate<string>(code) }
}

describe.skipIf(!browserIsInstalled)('the development chain, to pages in a browser', () => {
  const { port: chainPort } = new URL(devnet.url)
  const names = [devnet.url, `http://${FOREIGN}:${chainPort}`]

  it.each([
    ['another site', `${FOREIGN}:${port}`, names],
    ['another address of this machine', `127.0.0.2:${otherPort}`, [devnet.url]],
  ])(
    'neither does anything for %s nor tells it anything, by whatever name',
    async (_, site, urls) => {
      const page = await pageOf(site)
      const before = await chain.getBlock()
      for (const url of urls) {
        const acts = [attempts(url, 'evm_mine', []), attempts(url, 'anvil_reset', [RESET])]
        for (const { fetch, blind, socket } of acts) {
          expect(['failed', 'not told']).toContain(await page.told(blind))
          for (const code of [fetch, socket, inSandbox(fetch), inSandbox(socket)]) {
            expect(await page.told(code)).toBe('failed')
          }
        }
      }
      expect((await chain.getBlock()).hash).toBe(before.hash)
      expect(askedAsNode).toBe(0)
    },
    60_000,
  )

  it('tells a rebound name nothing, of which the browser thinks that it is the page’s own', async () => {
    const { page } = await browser.open()
    const answer = await page.goto(`http://${FOREIGN}:${chainPort}/`)
    expect(answer?.status()).toBe(403)
    const before = await chain.getBlockNumber()
    const { fetch, socket } = attempts(`http://${FOREIGN}:${chainPort}`, 'evm_mine', [])
    expect(await page.evaluate<string>(fetch)).toMatch(/^403 /)
    expect(await page.evaluate<string>(socket)).toBe('failed')
    expect(await chain.getBlockNumber()).toBe(before)
  }, 60_000)

  it.each(['localhost', '127.0.0.1'])(
    'serves a page of %s, and resets itself for nobody',
    async (host) => {
      const page = await pageOf(`${host}:${port}`)
      const asked = attempts(devnet.url, 'eth_chainId', [])
      const reset = attempts(devnet.url, 'anvil_reset', [RESET])
      for (const code of [asked.fetch, asked.socket]) expect(await page.told(code)).toContain('"0x7a69"')
      for (const code of [reset.fetch, reset.socket]) expect(await page.told(code)).toContain('-32601')
      expect(askedAsNode).toBe(0)
    },
    60_000,
  )
})
