/**
 * A server with a page for members only. Who has paid is told by a pass, which is checked here without asking anybody.
 *
 * REMIT_URL=http://127.0.0.1:3000 CHAIN_ID=31337 SUBSCRIPTION_ID=0x… npm start
 */
import { createServer } from 'node:http'
import { createClient, PassRefusedError, verifyPass } from '@remit/client'

const {
  REMIT_URL = 'http://127.0.0.1:3000',
  CHAIN_ID = '31337',
  SUBSCRIPTION_ID = '',
  PORT = '4000',
} = process.env
const remit = createClient({ url: REMIT_URL })
const HOUR_MS = 60 * 60 * 1000

let kept:
  | { readonly keys: Awaited<ReturnType<typeof remit.getPassKeys>>; readonly untilMs: number }
  | undefined

/** The keys of the service, kept for an hour: a pass is then checked offline. */
async function passKeys() {
  if (kept === undefined || Date.now() > kept.untilMs) {
    kept = { keys: await remit.getPassKeys(), untilMs: Date.now() + HOUR_MS }
  }
  return kept.keys
}

/** What a browser without a pass gets: the button, and a script that comes back with the pass. */
const DOOR = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Members only</title>
<link rel="icon" href="data:,">
<script type="module" src="${REMIT_URL}/button.js"></script>
<script type="module">
  addEventListener('remit-pass', async ({ detail: { pass } }) => {
    const answer = await fetch('/', { headers: { Authorization: 'Bearer ' + pass } })
    document.querySelector('p').textContent = await answer.text()
  })
</script>
<h1>Members only</h1>
<remit-subscribe plan="${SUBSCRIPTION_ID}" chain="${CHAIN_ID}" pass>Join, or show that you have</remit-subscribe>
<p role="status"></p>`

const server = createServer(async (request, response) => {
  if (request.headers.authorization === undefined && request.headers.accept?.includes('text/html')) {
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.end(DOOR)
    return
  }
  const [scheme, pass = ''] = (request.headers.authorization ?? '').split(' ')
  try {
    if (scheme !== 'Bearer') throw new PassRefusedError('malformed')
    const { subscriber, entitledThrough } = await verifyPass(pass, {
      keys: await passKeys(),
      issuer: REMIT_URL,
      // The address that visitors see: a pass for another site is worth nothing here.
      audience: address(),
      subscription: { id: SUBSCRIPTION_ID, chainId: Number(CHAIN_ID) },
    })
    response.end(`Welcome, ${subscriber}: yours through ${entitledThrough.toISOString().slice(0, 10)}.\n`)
  } catch (error) {
    // A pass that cannot be checked does not let anybody in.
    const why = error instanceof PassRefusedError ? error.message : 'The keys of passes could not be read.'
    response.statusCode = error instanceof PassRefusedError ? 401 : 503
    response.setHeader('WWW-Authenticate', 'Bearer realm="members"')
    response.end(`${why}\n`)
  }
})

function address(): string {
  const listening = server.address()
  return `http://127.0.0.1:${typeof listening === 'object' && listening !== null ? listening.port : PORT}`
}

server.listen(Number(PORT), '127.0.0.1', () => console.log(`The gate stands at ${address()}`))
