import { describe, expect, it } from 'vitest'
import { buildSiteOnce } from '../support/browser/buildSiteOnce.ts'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'

await buildSiteOnce()
const chain = await useTestChain()
const protocol = protocolOn(chain)
const plan = await protocol.create({ dueDay: 3 })
await protocol.send(chain.wallets.provider, 'editDetails', [
  { url: '', description: '</script><!--<script>\u2028' },
  plan.id,
])
await chain.keep()
const service = await useTestService([chain])
const scarce = await useTestService([chain], {
  LIMIT_FREE_GLOBAL_RPM: '3',
  LIMIT_FREE_EXPENSIVE_RPM: '1',
})
const closed = await useTestService([chain], { API_ENABLED: 'false' })
const PROJECT = 'c0ffee'.padEnd(32, '0')
const withPhones = await useTestService([chain], {
  WALLETCONNECT_PROJECT_ID: PROJECT,
  OPERATOR_NAME: 'Ada <& Sons>',
  OPERATOR_CONTACT: 'books@ada.example',
})
const proxied = await useTestService([chain], { PUBLIC_URL: 'https://remit.example/pay' })

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const visit = (path: string, on = service) => fetch(`${on.url}${path}`, { headers: BROWSER })

/** The data that a document came with. */
async function dataOf(response: Response) {
  const [, json = ''] = /id="page">(.*)<\/script>/.exec(await response.text()) ?? []
  return JSON.parse(json)
}

describe('a document', () => {
  it('has a policy without exceptions, and its data as text that ends no element', async () => {
    await indexed(service, chain)
    const response = await visit(`/plans/${plan.id}`)
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const part of ["frame-ancestors 'none'", "require-trusted-types-for 'script'", "base-uri 'none'"]) {
      expect(policy).toContain(part)
    }
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    const html = await response.clone().text()
    expect(html.match(/<script/g)).toHaveLength(2)
    expect(html).not.toContain('<!--')
    const { answers } = await dataOf(response)
    expect(answers[`details:${plan.id}`].body.details.description).toContain('</script><!--<script>')
  })

  it('lets pages reach WalletConnect’s hosts, and no others, only where an operator has named a project', async () => {
    const response = await visit('/plans', withPhones)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy.match(/(https?|wss?):[^ ;]+/g)).toEqual([
      'wss://relay.walletconnect.org',
      'https://rpc.walletconnect.org',
      'https://verify.walletconnect.org',
      'https://verify.walletconnect.org',
    ])
    expect(policy).not.toMatch(/unsafe|\*/)
    expect((await dataOf(response)).walletConnect).toBe(PROJECT)
    expect((await dataOf(await visit('/plans'))).walletConnect).toBeNull()
  })

  it('says who runs the service where an operator has, on guides too', async () => {
    const named = await visit('/plans', withPhones)
    expect((await dataOf(named)).operator).toEqual({
      name: 'Ada <& Sons>',
      contact: { words: 'books@ada.example', href: 'mailto:books@ada.example' },
    })
    const guide = await (await visit('/docs/operator', withPhones)).text()
    expect(guide).toContain('Run by Ada &lt;&amp; Sons&gt; (<a href="mailto:books@ada.example">')
    expect((await dataOf(await visit('/plans'))).operator).toBeNull()
  })

  it('has its answers as the API gives them', async () => {
    await indexed(service, chain)
    const { answers } = await dataOf(await visit(`/plans/${plan.id}`))
    const { body } = await service.get(`/subscriptions/${plan.id}`)
    expect(answers.plan).toMatchObject({ operation: 'getSubscription', status: 200, body })
  })

  it('is made once for each block, and anew for the next', async () => {
    const first = await visit('/')
    const etag = first.headers.get('etag') ?? ''
    const again = await fetch(service.url, { headers: { ...BROWSER, 'If-None-Match': etag } })
    expect((await visit('/')).headers.get('etag')).toBe(etag)
    expect(again.headers.get('content-type')).toMatch(/^text\/html/)
    await chain.advanceDays(1)
    await service.caughtUp()
    expect((await visit('/')).headers.get('etag')).not.toBe(etag)
  })

  it('is for browsers where the API answers at its path, and only there', async () => {
    expect((await fetch(service.url)).headers.get('content-type')).toBe('application/json')
    expect((await visit('/')).headers.get('content-type')).toMatch(/^text\/html/)
    expect((await visit('/api')).headers.get('content-type')).toBe('application/json')
    expect((await visit('/api/plans')).status).toBe(404)
    expect((await fetch(`${service.url}/status`)).headers.get('content-type')).toBe('application/json')
    expect((await visit('/status')).headers.get('content-type')).toMatch(/^text\/html/)
    expect((await visit('/api/status')).headers.get('content-type')).toBe('application/json')
    const json = await visit(`/subscriptions/${plan.id}`)
    expect(json.headers.get('content-type')).toBe('application/json')
  })

  it('says by its status that there is no such thing, or that there can be none', async () => {
    expect((await visit(`/plans/0x${'12'.repeat(32)}`)).status).toBe(404)
    expect((await visit('/plans/0x12')).status).toBe(400)
    expect((await visit(`/receipts/0x${'12'.repeat(32)}/7`)).status).toBe(404)
    expect((await visit('/plans?chainId=7')).status).toBe(400)
    expect((await visit('/plans?frequency=9')).status).toBe(400)
    expect((await visit('/plans?utm_source=letter')).status).toBe(200)
  })

  it('costs one document, whatever it has read, and is refused as a page', async () => {
    for (const _ of [1, 2, 3]) expect((await visit('/plans', scarce)).status).toBe(200)
    const refused = await visit('/plans', scarce)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('content-type')).toMatch(/^text\/html/)
    expect(refused.headers.get('retry-after')).toBeTruthy()
    expect((await dataOf(refused)).refusal).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    const asset = /src="([^"]+)"/.exec(await (await visit('/')).text())?.[1] ?? ''
    const loaded = await fetch(`${scarce.url}${asset}`)
    expect([loaded.status, loaded.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
  })

  it('is not there where the API is switched off, and says so to people', async () => {
    const response = await visit('/plans', closed)
    const html = await response.clone().text()
    expect([response.status, (await dataOf(response)).refusal.code]).toEqual([503, 'API_DISABLED'])
    const asset = /src="([^"]+)"/.exec(html)?.[1] ?? ''
    expect((await fetch(`${closed.url}${asset}`)).status).toBe(200)
    expect((await dataOf(await visit('/status', closed))).answers.status.body.status).toBe('disabled')
  })

  it('says why one is refused, in words that are read where its files are refused too', async () => {
    const response = await visit('/nowhere')
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('<main class="unstyled"><h1>Page not found</h1>')
  })

  it.each([
    ['/nowhere', 404],
    ['/plans.html', 404],
    ['/docs/nothing', 404],
    ['/%E0%A4%A', 400],
    ['/docs?utm_source=letter', 400],
  ])('is what browsers get of %s, while programs get JSON', async (path, status) => {
    const page = await visit(path)
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    const { refusal } = await dataOf(page)
    const answer = await fetch(`${service.url}${path}`)
    const body = await answer.json()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json'])
    expect(refusal).toEqual({ ...body, status, requestId: refusal.requestId })
  })

  it.each(['/subscriptions?first=99', '/api/subscriptions/0x12'])(
    'is not what anybody gets of %s, where an operation answers',
    async (path) => {
      expect((await visit(path)).headers.get('content-type')).toBe('application/json')
    },
  )

  it('names its files below the path that a proxy puts before them', async () => {
    expect(await (await visit('/plans', proxied)).text()).toMatch(/src="\/pay\/assets\//)
  })
})
