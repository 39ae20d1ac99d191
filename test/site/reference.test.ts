import { operations } from '@remit/service/operations/index'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useLife } from '../parity/life.ts'
import { browserIsInstalled, useBrowser } from '../support/browser/useBrowser.ts'
import { ABOUT_UNDERSCORES } from '../support/browser/useSite.ts'
import { expectAccessible } from '../support/browser/watchPage.ts'
import { useTestService } from '../support/service/testService.ts'

const { chain, sample } = await useLife()
const service = await useTestService([chain])

const Created = z.object({ token: z.string() })
const routed = operations.flatMap((operation) =>
  operation.rest === null ? [] : [{ ...operation, rest: operation.rest }],
)
const operationNamed = (name: string) => {
  const operation = routed.find((one) => one.name === name)
  if (operation === undefined) throw new Error(`no ${name}`)
  return operation
}

describe.skipIf(!browserIsInstalled)('the reference page', () => {
  const browser = useBrowser()

  async function openPage(path = '/docs', options: Parameters<typeof browser.open>[0] = {}) {
    const watched = await browser.open(options)
    await watched.page.goto(`${service.url}${path}`)
    await watched.page.waitForSelector('.opblock')
    return {
      ...watched,
      /** What went wrong, but for what is known to be noise. */
      problems: () => watched.problems.filter((problem) => !ABOUT_UNDERSCORES.test(problem)),
      block: (name: string) => watched.page.locator(`.opblock[id$="-${name}"]`),
    }
  }

  /** Opens an operation and what it is tried with. */
  async function tryOut({ block }: Awaited<ReturnType<typeof openPage>>, name: string) {
    const opened = block(name)
    await opened.locator('.opblock-summary-control').click()
    await opened.locator('.try-out__btn').click()
    return opened
  }

  async function answerOf(opened: Awaited<ReturnType<typeof tryOut>>) {
    await opened.locator('.execute').click()
    const live = opened.locator('.live-responses-table')
    const [status, text, url] = await Promise.all([
      live.locator('tbody .response-col_status').first().textContent(),
      live.locator('.response-col_description pre').first().textContent(),
      opened.locator('.request-url pre').textContent(),
    ])
    const body: unknown = JSON.parse(text ?? '')
    return { status: Number.parseInt(status ?? '', 10), body, url }
  }

  it('says what this is, shows every operation in the order of the list, a lock where something is needed, tries a prepare out with a body, asks for nothing elsewhere, and leads to the guides', async () => {
    const watched = await openPage()
    const { page, problems, requested } = watched
    expect(await page.title()).toBe('Remit: API reference')
    expect(await page.locator('.docs__lead').textContent()).toContain('prepares unsigned transactions')
    const ids = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id))
    const shown = ids.map((id) => /^operations-(?<group>.+)-(?<name>\w+)$/.exec(id)?.groups ?? {})
    // Those of one path stand together.
    const paths = [...new Set(routed.map(({ rest }) => rest.path))]
    const inOrder = paths.flatMap((path) => routed.filter(({ rest }) => rest.path === path))
    const names = inOrder.flatMap(({ name, files, stream }) => [
      name,
      ...files.map((file) => file.name),
      ...(stream === undefined ? [] : [stream.name]),
    ])
    // What webhooks are sent stands behind them.
    const sent = operations
      .flatMap(({ posts }) => Object.keys(posts))
      .map((type) => `on_${type.replaceAll('.', '_')}`)
    expect(shown.map(({ name }) => name).sort()).toEqual([...names, ...sent].sort())
    for (const { group } of shown) {
      const grouped = shown.flatMap((one) => (one.group === group ? [one.name] : []))
      expect(grouped).toEqual([...names, ...sent].filter((name) => grouped.includes(name)))
    }
    const locked = await page
      .locator('.opblock .authorization__btn')
      .evaluateAll((locks) =>
        locks.flatMap((lock) =>
          lock.getClientRects().length > 0 ? [lock.closest('.opblock')?.id ?? ''] : [],
        ),
      )
    const lockedNames = locked.map((id) => id.slice(id.lastIndexOf('-') + 1))
    const needy = routed.filter(
      ({ name, audience }) => audience === 'operators' || audience === 'developers' || name === 'create_pass',
    )
    expect(lockedNames.sort()).toEqual(needy.map(({ name }) => name).sort())
    const opened = await tryOut(watched, 'prepare_subscribe_by_id')
    const input = sample(operationNamed('prepare_subscribe_by_id'))
    await opened.locator('.body-param__text').fill(JSON.stringify(input))
    const { status, body } = await answerOf(opened)
    expect(status).toBe(200)
    expect(body).toMatchObject({ operation: 'subscribe', simulation: { success: true } })
    expect(problems()).toEqual([])
    const elsewhere = requested.filter(
      (url) => !url.startsWith(`${service.url}/`) && !url.startsWith('data:'),
    )
    expect(elsewhere).toEqual([])
    await page.getByRole('link', { name: 'From nothing to a paid subscription' }).click()
    expect(page.url()).toBe(`${service.url}/docs/start`)
  }, 120_000)

  it('tries a read out on this service, whatever address it publishes, with the key that it is given and keeps nowhere', async () => {
    const made = await service.post(
      '/developer/keys',
      { subjectId: 'ada' },
      { headers: { 'X-Service-Admin-Key': 'correct-horse-battery-staple' } },
    )
    const { token } = Created.parse(made.body)
    const watched = await openPage('/api/docs')
    const { page } = watched
    await page.locator('.auth-wrapper .authorize').first().click()
    const dialog = page.locator('.modal-ux')
    await dialog.getByLabel('auth-bearer-value').first().fill(token)
    await dialog.locator('.modal-btn.authorize').first().click()
    await dialog.locator('.close-modal').click()
    const sent = page.waitForRequest((request) => request.url().endsWith('/protocol/state'))
    const { status, body, url } = await answerOf(await tryOut(watched, 'get_protocol_state'))
    expect([status, url]).toEqual([200, `${service.url}/api/protocol/state`])
    expect(body).toMatchObject({ contractAddress: chain.contract, chainId: 31337 })
    const request = await sent
    expect(request.headers().authorization).toBe(`Bearer ${token}`)
    expect((await request.response())?.headers()['x-service-lane']).toBe('developer')
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    expect(kept).not.toContain(token)
    expect(watched.problems()).toEqual([])
  }, 120_000)

  it('leads to one operation by its address, with its input, schema and example, on a phone and in the dark', async () => {
    const { page, problems, block } = await openPage('/docs#/prepare/prepare_subscribe_by_id', {
      viewport: { width: 375, height: 740 },
      isMobile: true,
      hasTouch: true,
      colorScheme: 'dark',
    })
    const opened = block('prepare_subscribe_by_id')
    await opened.locator('.opblock-body').waitFor()
    await opened.locator('.opblock-section-request-body').getByText('Schema', { exact: true }).click()
    const schema = opened.locator('.opblock-section-request-body .json-schema-2020-12').first()
    await schema.waitFor()
    for (const field of ['id', 'from', 'approvalPeriods']) expect(await schema.textContent()).toContain(field)
    expect(await opened.locator('.response[data-code="200"]').textContent()).toContain('unsignedTransactions')
    expect(await opened.locator('.response[data-code="422"]').textContent()).toContain('NOT_READY')
    expect(page.url()).toContain('#/prepare/prepare_subscribe_by_id')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
    expect(await page.locator('html.dark-mode').count()).toBe(1)
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.locator('html:not(.dark-mode)').waitFor()
    expect(problems()).toEqual([])
  }, 120_000)

  it('says what is wrong where the description cannot be read', async () => {
    const { page } = await browser.open()
    await page.route('**/openapi.json', (route) =>
      route.fulfill({
        status: 429,
        json: { error: 'The limit globalRpm of the free lane is reached (20).' },
      }),
    )
    await page.goto(`${service.url}/docs`)
    await page.getByText('could not be read: The limit globalRpm of the free lane is reached').waitFor()
  }, 120_000)
})
