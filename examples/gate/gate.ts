/**
 * A server with a page for members only. A browser shows a pass, which the button brings; a program signs in by x402's
 * extension "sign-in-with-x".
 *
 * REMIT_URL=http://127.0.0.1:3000 CHAIN_ID=31337 SUBSCRIPTION_ID=0x… npm start
 */
import { createServer } from 'node:http'
import { createClient } from '@remit/client'
import { createGate } from '@remit/client/gate'
import { isHex } from 'viem'

const {
  REMIT_URL = 'http://127.0.0.1:3000',
  CHAIN_ID = '31337',
  SUBSCRIPTION_ID = '',
  PORT = '4000',
} = process.env
if (!isHex(SUBSCRIPTION_ID))
  throw new Error('SUBSCRIPTION_ID is the id of the subscription whose members may enter')
const plan = SUBSCRIPTION_ID

/** @param url the address that visitors see: what is signed or issued for another site is worth nothing here */
function gateAt(url: string) {
  const client = createClient({ url: REMIT_URL })
  return createGate({
    url,
    chainId: Number(CHAIN_ID),
    plans: [{ id: plan }],
    client,
    service: REMIT_URL,
    passes: { issuer: REMIT_URL, keys: () => client.getPassKeys() },
    onError: (error) => console.error(error),
  })
}

/** What a browser without a pass gets: the button, and a script that comes back with the pass. */
const DOOR = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Members only</title>
<link rel="icon" href="data:,">
<script type="module" src="${REMIT_URL}/button.js"></script>
<script type="module">
  addEventListener('remit-pass', async ({ detail: { pass } }) => {
    const answer = await fetch('/', { headers: { Authorization: 'Bearer ' + pass } })
    document.querySelector('p').textContent = answer.ok ? await answer.text() : (await answer.json()).error
  })
</script>
<h1>Members only</h1>
<remit-subscribe plan="${plan}" chain="${CHAIN_ID}" pass>Join, or show that you have</remit-subscribe>
<p role="status"></p>`

const server = createServer()

server.listen(Number(PORT), '127.0.0.1', () => {
  const listening = server.address()
  const url = `http://127.0.0.1:${typeof listening === 'object' && listening !== null ? listening.port : PORT}`
  const gate = gateAt(url)
  server.on('request', async ({ url: path = '/', headers }, response) => {
    const header = (name: string) => headers[name.toLowerCase()]?.toString() ?? null
    const showsNothing = header('Authorization') === null && header('SIGN-IN-WITH-X') === null
    if (showsNothing && header('Accept')?.includes('text/html')) {
      response.setHeader('Content-Type', 'text/html; charset=utf-8')
      response.end(DOOR)
      return
    }
    const checked = await gate.check({ url: path, headers: { get: header } })
    if (checked instanceof Response) {
      response.writeHead(checked.status, Object.fromEntries(checked.headers))
      response.end(await checked.text())
      return
    }
    const { address, paidThrough } = checked.member
    // It is the member's own: no cache that others share may keep it.
    response.setHeader('Cache-Control', 'private')
    response.end(`Welcome, ${address}: yours through ${paidThrough}.\n`)
  })
  console.log(`The gate stands at ${url}`)
})
