import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { openStore } from '../src/store/openStore.ts'
import { RETRIES } from '../src/webhooks/delivering/retries.ts'
import { InventedLog, subscriptionId } from '../test/support/webhooks/InventedLog.ts'
import { anyChallenge, listeningTo, startDelivering } from '../test/support/webhooks/startDelivering.ts'
import { table } from './print.ts'

// 10,000 endpoints, each of one subscription; events at a steady rate; some endpoints never answer. Prints how long the
// others wait for their events, beside the same without those that hang. One process writes the log, hands it out and
// sends; another one receives.
//
// `npm run bench:webhooks -- <endpoints> <events a second> <seconds>`

const [endpoints = 10_000, rate = 1_000, seconds = 20] = process.argv.slice(2).map(Number)
const HANGING_PERCENT = 5
const BATCH_MS = 50
/** In one transaction of the log. Where the machine is too slow for the rate, fewer are sent. */
const MOST_AT_ONCE = 500
const MOST_WAIT_MS = 120_000

const hangs = (place: number, percent: number) => place % 100 < percent

/** What the receiving process tells: where it listens, how many events came, and when each came first. */
const Listening = z.object({ port: z.int() })
const Count = z.object({ count: z.int() })
const Arrivals = z.object({ arrivals: z.array(z.tuple([z.int(), z.number()])) })

/** The receiving process. It is asked by messages: `count`, `arrivals`, and how many percent are to hang from now on. */
async function receive(): Promise<void> {
  const arrivals = new Map<number, number>()
  let hangingPercent = 0
  async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { challenge, sequence } = JSON.parse(Buffer.concat(chunks).toString())
    if (challenge !== undefined) {
      response.end(challenge)
      return
    }
    if (hangs(Number(request.url?.slice(1)), hangingPercent)) return
    if (!arrivals.has(sequence)) arrivals.set(sequence, Date.now())
    response.end('ok')
  }
  const server = createServer((request, response) => {
    // Who hangs up is not answered.
    hear(request, response).catch(() => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  process.on('message', (asked) => {
    if (typeof asked === 'number') {
      hangingPercent = asked
      arrivals.clear()
      return
    }
    process.send?.(asked === 'count' ? { count: arrivals.size } : { arrivals: [...arrivals] })
  })
  // Safe: a server that listens on TCP has such an address.
  process.send?.({ port: (server.address() as AddressInfo).port })
}

/** A store with its endpoints, a process that receives for them, and a deliverer. */
async function begin() {
  const folder = mkdtempSync(join(tmpdir(), 'remit-bench-'))
  const store = await openStore(`file:${join(folder, 'store.db')}`)
  const log = new InventedLog(store)
  await log.begin()
  const receiver = fork(import.meta.filename, ['receive'])
  const hear = async <Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema>> =>
    schema.parse((await once(receiver, 'message'))[0])
  const { port } = await hear(Listening)
  const ask = <Schema extends z.ZodType>(what: string, schema: Schema) => {
    const answer = hear(schema)
    receiver.send(what)
    return answer
  }
  const delivering = startDelivering(store, { retries: RETRIES, timeoutMs: 15_000, leaseMs: 10_000 })
  for (let from = 0; from < endpoints; from += 50) {
    const places = Array.from({ length: Math.min(50, endpoints - from) }, (_, place) => from + place)
    await Promise.all(
      places.map((place) =>
        delivering.webhooks.create(
          'bench',
          {
            ...listeningTo(`http://127.0.0.1:${port}/${place}`),
            subscriptionId: subscriptionId(place),
          },
          anyChallenge,
        ),
      ),
    )
  }
  await delivering.start()
  await sleep(1_000)
  async function end(): Promise<void> {
    receiver.kill()
    await delivering.stop()
    await store.close()
    rmSync(folder, { recursive: true })
  }
  return { log, ask, hang: (percent: number) => receiver.send(percent), end }
}

type Rig = Awaited<ReturnType<typeof begin>>

/** How long events wait on their way to endpoints that answer, in milliseconds. */
async function measure({ log, ask, hang }: Rig, hangingPercent: number) {
  hang(hangingPercent)
  const written = new Map<number, number>()
  let sent = 0
  let expected = 0
  const heap = [heapBytes()]
  const begun = performance.now()
  const cpu = process.cpuUsage()
  while (performance.now() - begun < seconds * 1_000) {
    const due = Math.min(MOST_AT_ONCE, Math.floor(((performance.now() - begun) / 1_000) * rate) - sent)
    const places = Array.from({ length: due }, (_, place) => ((sent + place) * 7919) % endpoints)
    const now = Date.now()
    const first = log.events.length
    if (places.length > 0) await log.append(places.map(subscriptionId))
    for (const event of log.events.slice(first)) written.set(event.sequence, now)
    sent += places.length
    expected += places.filter((place) => !hangs(place, hangingPercent)).length
    if (performance.now() - begun > heap.length * seconds * 250) heap.push(heapBytes())
    await sleep(BATCH_MS)
  }
  const deadline = performance.now() + MOST_WAIT_MS
  while ((await ask('count', Count)).count < expected && performance.now() < deadline) await sleep(50)
  const took = (performance.now() - begun) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const { arrivals } = await ask('arrivals', Arrivals)
  const waits = arrivals.map(([sequence, at]) => at - (written.get(sequence) ?? 0)).sort((a, b) => a - b)
  const at = (part: number) => `${waits[Math.floor((waits.length - 1) * part)] ?? 0} ms`
  return [
    `${hangingPercent} %`,
    `${waits.length} of ${expected}`,
    `${Math.round(waits.length / took)}/s`,
    at(0.5),
    at(0.99),
    `${((user + system) / 1_000 / waits.length).toFixed(2)} ms`,
    `${heap.map((bytes) => Math.round(bytes / 1e6)).join(' → ')} MB`,
  ]
}

/** After garbage was collected. What this program remembers of each event is in it. */
function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('Run it with --expose-gc.')
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

if (process.argv[2] === 'receive') await receive()
else {
  const rig = await begin()
  const rows = [await measure(rig, 0), await measure(rig, HANGING_PERCENT)]
  await rig.end()
  const columns = [
    'hanging',
    'delivered',
    'rate',
    'p50',
    'p99',
    'processor for each',
    'heap, at each quarter',
  ]
  process.stdout.write(`${endpoints} endpoints, ${rate} events a second for ${seconds} s, SQLite\n`)
  process.stdout.write(`${table(columns, rows)}\n`)
}
