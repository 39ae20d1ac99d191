import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { operations } from '@remit/service/operations/index'
import { readGuides } from '@remit/service/testing/surfaces/site/readGuides'
import { afterAll, describe, expect, it } from 'vitest'
import { buildSiteOnce } from '../support/browser/buildSiteOnce.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { useTestService } from '../support/service/testService.ts'

await buildSiteOnce()
const chain = await useTestChain()
const service = await useTestService([chain])
const closed = await useTestService([chain], { API_ENABLED: 'false' })
const secret = await useTestService([chain], {
  API_REQUIRE_BASIC_AUTH: 'true',
  API_BASIC_AUTH_USER: 'ada',
  API_BASIC_AUTH_PASSWORD: 'lovelace:1815',
})
const published = await useTestService([chain], { PUBLIC_URL: 'https://remit.example/pay' })
const guides = readGuides('docs')

async function text(path: string, on = service): Promise<string> {
  const response = await fetch(`${on.url}${path}`)
  expect(response.status, path).toBe(200)
  return response.text()
}

/** The addresses of Markdown links. */
const links = (markdown: string) =>
  [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)

/** What an HTML page names to be loaded or followed. */
const references = (html: string) =>
  [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = '']) => target)

describe('where to start', () => {
  it('leads to the pages, for programs and for people', async () => {
    const { body } = await service.get('/')
    expect(body).toMatchObject({
      links: { docs: `${service.url}/docs`, llms: `${service.url}/llms.txt` },
    })
    const home = await fetch(service.url, { headers: { Accept: 'text/html' } })
    expect(await home.text()).toContain('<script type="application/json" id="page">')
  })

  it('keeps the pages out of the catalog, the OpenAPI document and the list of routes', async () => {
    const catalog = JSON.stringify((await service.get('/catalog')).body)
    const { body } = await service.get('/openapi.json')
    expect(catalog).not.toMatch(/"\/api\/(docs|llms)/)
    expect(Object.keys(body.paths ?? {}).join()).not.toMatch(/docs|llms/)
  })
})

describe('llms.txt', () => {
  it('has the form of llmstxt.org: a title, a summary, facts, and sections of links with notes', async () => {
    const llms = await text('/llms.txt')
    const [head = '', ...sections] = llms.split(/^## /m)
    expect(head).toMatch(/^# Remit\n\n> .+\n(> .+\n)*\n(- .+\n)+\n$/)
    expect(sections.map((section) => section.split('\n')[0])).toEqual(['Guides', 'Reference', 'Optional'])
    for (const section of sections) {
      const [, ...rows] = section.trim().split('\n').filter(Boolean)
      for (const row of rows) expect(row).toMatch(/^- \[[^\]]+\]\(https?:\/\/[^)]+\): .+\.$/)
    }
  })

  it('names every guide, and every address that it gives answers', async () => {
    const addresses = links(await text('/llms.txt'))
    for (const { name } of guides) expect(addresses).toContain(`${service.url}/docs/${name}.md`)
    for (const address of addresses) expect((await fetch(address)).status, address).toBe(200)
  })

  it('states the limits in force and the chains that are served', async () => {
    const llms = await text('/llms.txt')
    expect(llms).toContain('2000000 requests a minute, 200000 of them prepares')
    expect(llms).toContain('Chains: 31337 (Test chain 31337).')
  })

  it('speaks of the published address', async () => {
    const llms = await text('/llms.txt', published)
    expect(llms).toContain('REST at https://remit.example/pay (')
    expect(llms).not.toContain(published.url)
  })
})

describe('the guides', () => {
  it.each(guides.map(({ name }) => name))('serve %s as Markdown, whose links answer', async (name) => {
    const response = await fetch(`${service.url}/docs/${name}.md`)
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    const markdown = await response.text()
    expect(markdown).toMatch(/^# /)
    for (const target of links(markdown).filter((link) => !link.startsWith('http'))) {
      const { status } = await fetch(new URL(target, response.url))
      expect(status, target).toBe(200)
    }
  })

  it('are all in one file, with the reference, and with links that hold there', async () => {
    const whole = await text('/llms-full.txt')
    for (const { title } of guides) expect(whole).toContain(`# ${title}\n`)
    for (const { name } of operations) expect(whole).toContain(`Operation \`${name}\``)
    for (const target of links(whole)) expect(target).toMatch(/^(https?:\/\/|#)/)
  })
})

const SITE = ['/', '/plans', '/me', '/desk', '/keeper', '/portal', '/status']

describe('the reference page', () => {
  it.each(['', '/api'])('names only what is served beside it, below "%s" too', async (prefix) => {
    const page = `${service.url}${prefix}/docs`
    const targets = references(await text(`${prefix}/docs`))
    expect(targets.length).toBeGreaterThan(guides.length + 5)
    for (const target of targets) {
      expect(target).not.toMatch(/^\w+:/)
      // Pages of the site are at its root alone; all else is beside the document.
      if (target.startsWith('/')) expect(SITE).toContain(target)
      const { status } = await fetch(new URL(target, page))
      expect(status, target).toBe(200)
    }
  })

  it('allows no inline script, no inline style and nothing from elsewhere', async () => {
    const { headers } = await fetch(`${service.url}/docs`)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })
})

it.each(['/docs', '/llms.txt', '/llms-full.txt', '/docs/start.md', '/docs/api.md'])(
  'an API that is switched off has no %s, which would describe it',
  async (path) => {
    expect(await closed.get(path)).toMatchObject({ status: 503, body: { code: 'API_DISABLED' } })
  },
)

it('a service behind Basic Auth shows its pages to nobody else', async () => {
  const right = `Basic ${Buffer.from('ada:lovelace:1815').toString('base64')}`
  for (const path of ['/docs', '/llms.txt', '/docs/start.md']) {
    expect((await fetch(`${secret.url}${path}`)).status).toBe(401)
    const shown = await fetch(`${secret.url}${path}`, { headers: { Authorization: right } })
    expect(shown.status).toBe(200)
  }
})

it('refuses a key that is not a live one on pages too', async () => {
  const { status, body } = await service.get('/llms.txt', { headers: { 'X-API-Key': 'svc_x' } })
  expect({ status, code: body.code }).toEqual({ status: 401, code: 'UNAUTHORIZED' })
})

describe('a bundle of the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-site-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('finds its pages in the folders beside it', async () => {
    const bundle = await useBundle('packages/service/src/main.ts')
    const moved = join(folder, 'app', 'dist', basename(bundle))
    cpSync(dirname(bundle), dirname(moved), { recursive: true })
    cpSync('docs', join(folder, 'app', 'docs'), { recursive: true })
    symlinkSync(resolve('node_modules'), join(folder, 'app', 'node_modules'))
    const program = runBundled(moved, [], {
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `file:${join(folder, 'remit.db')}`,
      DEFAULT_REST_CHAIN_ID: '31337',
      RPC_URL_31337: chain.url,
      CONTRACT_ADDRESS_31337: chain.contract,
      // There are more guides than a stranger may read in a minute.
      LIMIT_FREE_GLOBAL_RPM: '1000',
    })
    const [, url = ''] = await program.says(/Remit is ready: REST (\S+), MCP/)
    const page = await (await fetch(`${url}/docs`)).text()
    for (const target of references(page)) {
      expect((await fetch(new URL(target, `${url}/docs`))).status, target).toBe(200)
    }
    program.process.kill('SIGTERM')
    expect(await program.ends()).toBe(0)
  })
})
