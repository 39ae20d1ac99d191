import { get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Gauge } from 'prom-client'
import { afterEach, describe, expect, it } from 'vitest'
import { Metrics } from './Metrics.ts'
import { type MetricsServer, startMetricsServer } from './metricsServer.ts'
import { WorkPulse } from './WorkPulse.ts'

const running: MetricsServer[] = []

afterEach(() => Promise.all(running.splice(0).map((server) => server.close())))

async function start(
  metrics = new Metrics('1.2.3'),
  allowedHosts?: readonly string[],
  pulse?: WorkPulse,
): Promise<string> {
  const server = await startMetricsServer(metrics.registry, {
    host: '127.0.0.1',
    port: 0,
    allowedHosts,
    pulse,
  })
  running.push(server)
  return `http://127.0.0.1:${server.port}`
}

describe('the port for metrics', () => {
  it('answers GET /metrics in the form that Prometheus reads', async () => {
    const response = await fetch(`${await start()}/metrics`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await response.text()).toContain('# TYPE remit_requests_total counter')
  })

  it('says for a process without callers whether it works, to those who may read its metrics', async () => {
    const pulse = new WorkPulse({ stalledAfterMs: 60_000 })
    const work = pulse.add('The index')
    const url = await start(undefined, ['api.example'], pulse)
    const asked = async (path: string) => {
      const response = await fetch(url + path)
      return [response.status, await response.text()]
    }
    expect(await asked('/ready')).toEqual([503, 'The index has not worked yet.\n'])
    expect(await asked('/live')).toEqual([200, 'ok\n'])
    work.worked()
    expect(await asked('/ready')).toEqual([200, 'ok\n'])
    const { port } = new URL(url)
    const foreign = await new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path: '/ready', headers: { Host: 'evil.example' } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).on('error', reject)
    })
    expect(foreign).toBe(403)
  })

  it('has nothing else', async () => {
    const url = await start()
    expect((await fetch(url)).status).toBe(404)
    expect((await fetch(`${url}/status`)).status).toBe(404)
    const posted = await fetch(`${url}/metrics`, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it.each<[readonly string[] | undefined, Record<string, number>]>([
    [
      undefined,
      {
        '127.0.0.1': 200,
        'localhost:9464': 200,
        '10.0.0.9': 200,
        '[fd00::1]:9464': 200,
        'evil.example': 403,
      },
    ],
    [
      ['api.example'],
      { 'api.example': 200, '10.0.0.9': 200, 'evil.example': 403, localhost: 403, 'a@10.0.0.9': 403 },
    ],
  ])('answers under its own names and plain addresses alone, with %j allowed', async (allowed, expected) => {
    const { port } = new URL(await start(undefined, allowed))
    const found: Record<string, number> = {}
    for (const host of Object.keys(expected)) {
      found[host] = await new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, path: '/metrics', headers: { Host: host } }, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        }).on('error', reject)
      })
    }
    expect(found).toEqual(expected)
  })

  it('answers HTTP/1.0 without a Host, as health checks may send it', async () => {
    const { port } = new URL(await start(undefined, ['api.example']))
    const socket = connect(Number(port), '127.0.0.1')
    socket.write('GET /metrics HTTP/1.0\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('says that metrics cannot be read, and goes on', async () => {
    const metrics = new Metrics('1.2.3')
    const url = await start(metrics)
    new Gauge({
      name: 'broken',
      help: 'What cannot be read',
      registers: [metrics.registry],
      collect() {
        throw new Error('a cause with a secret')
      },
    })
    const response = await fetch(`${url}/metrics`)
    expect([response.status, await response.text()]).toEqual([500, 'The metrics could not be read.\n'])
  })

  it('answers on while it drains, each time for the last time on a connection', async () => {
    const url = await start()
    for (const server of running) server.drain()
    for (let scrape = 0; scrape < 3; scrape += 1) {
      const response = await fetch(`${url}/metrics`)
      expect([response.status, response.headers.get('connection')]).toEqual([200, 'close'])
    }
  })

  it('closes within a second, whoever is still connected', async () => {
    const url = await start()
    await (await fetch(`${url}/metrics`)).text()
    const begun = performance.now()
    await Promise.all(running.splice(0).map((server) => server.close()))
    expect(performance.now() - begun).toBeLessThan(10_000)
    await expect(fetch(`${url}/metrics`)).rejects.toThrow()
  })
})
