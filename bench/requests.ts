import { execFileSync } from 'node:child_process'
import { Agent, get } from 'node:http'
import { pino } from 'pino'
import * as z from 'zod'
import { unmetered } from '../src/core/ports/access.ts'
import { sessionCookie } from '../src/core/sessionCookie.ts'
import { createLog } from '../src/log.ts'
import { Metrics } from '../src/metrics/Metrics.ts'
import { observedCharging } from '../src/metrics/observedCharging.ts'
import { createRequestLog } from '../src/surfaces/http/requestLog.ts'
import { createResponses } from '../src/surfaces/http/responses.ts'
import { createRestApp } from '../src/surfaces/rest/restApp.ts'
import { startServer } from '../src/surfaces/server/server.ts'
import { EventStreams } from '../src/surfaces/stream/EventStreams.ts'
import { noEvents } from '../test/support/app/noEvents.ts'
import { smallApp, smallOperations } from '../test/support/app/smallApp.ts'

// The cost of request tracing, the log and the metrics: an operation that reads nothing, answered with all of them and
// with none. Each run is a process of its own, because tracing cannot be turned off again. Processor time is measured,
// because other work on the machine hardly changes it.

const RUNS = 7
const WARM_UP = 3_000
const REQUESTS = 10_000
const CONNECTIONS = 16

type Fetch = (request: Request) => Promise<Response>

const peer = { remoteAddress: '203.0.113.7' }

/** The REST surface alone. */
function withNone(): Fetch {
  const responses = createResponses({ log: { info() {}, warn() {}, error() {} }, https: false, cors: false })
  const { pipeline } = smallApp()
  const streams = new EventStreams({ log: noEvents, pipeline })
  const app = createRestApp({
    operations: smallOperations,
    pipeline,
    responses,
    cookie: sessionCookie(false),
    streams,
  })
  return async (request) => app.fetch(request, peer)
}

/** The surface of the service. Beside what is measured, it also checks hosts. */
function withAll(): Fetch {
  const metrics = new Metrics('0.0.0')
  const secrets = Array.from({ length: 6 }, (_, index) => `a-secret-of-the-operator-${index}`)
  const destination = pino.destination({ dest: '/dev/null', sync: false })
  const requestLog = createRequestLog(createLog('info', { secrets, destination }))
  const { app } = smallApp({
    charging: observedCharging(unmetered, metrics),
    observers: [requestLog, metrics],
  })
  return (request) => app.fetch(request, peer)
}

/** Processor time per request in microseconds, one after the other, without a socket. */
async function inProcess(fetch: Fetch): Promise<number> {
  const times = async (count: number) => {
    for (let request = 0; request < count; request += 1) {
      await (await fetch(new Request('http://localhost/things/latest'))).text()
    }
  }
  await times(WARM_UP)
  return microsOf(() => times(REQUESTS))
}

/** The same over keep-alive connections, with the client in the same process. */
async function overSockets(fetch: Fetch): Promise<number> {
  const refuse = () => new Response()
  const server = await startServer({ fetch, refuse, host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const asked = get(`${server.url}/things/latest`, { agent }, (response) => {
        response.resume().on('end', resolve)
      })
      asked.on('error', reject)
    })
  const times = (count: number) =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let request = 0; request < count / CONNECTIONS; request += 1) await ask()
      }),
    )
  await times(WARM_UP)
  const micros = await microsOf(() => times(REQUESTS))
  agent.destroy()
  await server.close(0)
  return micros
}

async function microsOf(requests: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await requests()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / REQUESTS
}

const Times = z.object({ alone: z.number(), sockets: z.number() })

function runOf(what: 'none' | 'all') {
  const args = ['--import', 'tsx', import.meta.filename, what]
  return Times.parse(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })))
}

function spread(values: number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  const [median, least, most] = [sorted[Math.floor(sorted.length / 2)], sorted[0], sorted.at(-1)]
  return `${median?.toFixed(digits)} (${least?.toFixed(digits)} to ${most?.toFixed(digits)})`
}

const [, , what] = process.argv
if (what === 'none' || what === 'all') {
  const fetch = what === 'none' ? withNone() : withAll()
  const times = { alone: await inProcess(fetch), sockets: await overSockets(fetch) }
  process.stdout.write(JSON.stringify(times))
} else {
  const runs = Array.from({ length: RUNS }, () => ({ none: runOf('none'), all: runOf('all') }))
  process.stdout.write(
    `following, logging and counting a request, over ${RUNS} interleaved runs of ${REQUESTS}, median and range\n` +
      `  in the process: none ${spread(
        runs.map(({ none }) => none.alone),
        0,
      )} µs, ` +
      `all of it + ${spread(
        runs.map(({ none, all }) => all.alone - none.alone),
        0,
      )} µs\n` +
      `  over sockets:   none ${spread(
        runs.map(({ none }) => none.sockets),
        0,
      )} µs, ` +
      `all of it × ${spread(
        runs.map(({ none, all }) => all.sockets / none.sockets),
        2,
      )}\n`,
  )
}
