import { readFileSync } from 'node:fs'
import { createDevClient } from '@remit/devchain/testing/chain/client'
import { startDevnet } from '@remit/devchain/testing/startDevnet'
import { parse } from 'csv-parse/sync'
import type { Locator, Page } from 'playwright-core'
import { type Address, getAddress, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openPaymentLives } from '../../differential/paymentLives.ts'
import { buildSiteOnce } from '../../support/browser/buildSiteOnce.ts'
import { browserIsInstalled, useBrowser } from '../../support/browser/useBrowser.ts'
import { transfersOf } from '../../support/chain/transfersOf.ts'
import { useTestChain } from '../../support/chain/useTestChain.ts'
import { trials, trialsTimeoutMs } from '../../support/runner/trials.ts'
import { indexed } from '../../support/service/indexed.ts'
import {
  ADMIN_SECRET,
  type ServedChain,
  startTestService,
  type TestService,
} from '../../support/service/testService.ts'

const LIVES = trials({ short: 2, nightly: 20 })
/** A whole life, a service over it and a few pages. */
const LONG = 180_000

const browser = useBrowser()
await buildSiteOnce()

const Raw = z.object({ amountRaw: z.string().transform(BigInt) })
const Figures = z.object({ arrived: Raw, received: Raw, feeBalancesReceived: Raw })
const Revenue = z.object({
  from: z.object({ date: z.string() }),
  to: z.object({ date: z.string() }),
  tokens: z.array(
    z.object({
      token: z.object({ address: z.string(), decimals: z.number() }),
      total: Figures,
      intervals: z.array(Figures),
    }),
  ),
})
const CsvRows = z.array(z.record(z.string(), z.string()))
type Row = Readonly<Record<string, string>>

const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, one) => sum + one, 0n)
const rowsOf = (text: string): Row[] => CsvRows.parse(parse(text, { columns: true, bom: true }))

/** Reads the API's own files, whole, which take a key. */
async function filesOf(service: TestService): Promise<(path: string) => Promise<Row[]>> {
  const admin = { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } }
  const { body } = await service.post('/developer/keys', { subjectId: 'books' }, admin)
  const headers = { Authorization: `Bearer ${z.string().parse(body.token)}` }
  return async (path) => {
    const answer = await fetch(`${service.url}${path}`, { headers })
    expect(answer.status).toBe(200)
    return rowsOf(await answer.text())
  }
}

/** The rows of the desk's table of months by the titles of its columns, each amount exact and without its token. */
async function monthsOn(page: Page): Promise<Row[]> {
  const asTable = page.getByRole('button', { name: 'Show as a table' })
  if (await asTable.isVisible()) await asTable.click()
  const table = page.getByRole('table', { name: 'Income by month' })
  const titles = await table.getByRole('columnheader').allTextContents()
  const rows = await table.locator('tbody tr').all()
  return Promise.all(
    rows.map(async (row) => {
      const cells = await row.getByRole('cell').all()
      const texts = await Promise.all(cells.map(async (cell) => (await moneyIn(cell))[0] ?? ''))
      return Object.fromEntries(titles.map((title, index) => [title, texts[index] ?? '']))
    }),
  )
}

/** The amounts in a part of the page. The digits beyond those that are shown are in the title. */
async function moneyIn(part: Locator): Promise<string[]> {
  const shown = await part.locator('.money').all()
  return Promise.all(
    shown.map(async (one) => {
      // The exact amount, where it is shown to cents.
      const text = (await one.getAttribute('title')) ?? (await one.textContent()) ?? ''
      return text.replaceAll(',', '').split(' ')[0] ?? ''
    }),
  )
}

/**
 * Holds what every place says that the providers got against the tokens' own transfers, token by token.
 * @param isStated whether a token's transfers state all that they move
 * @returns how many units came in for each of them, over all tokens
 */
async function expectSameIncome(
  served: ServedChain,
  providers: readonly Address[],
  { wallNow, isStated = () => true }: { wallNow?: () => number; isStated?: (token: Address) => boolean },
): Promise<bigint[]> {
  const service = await startTestService([served], {}, wallNow)
  try {
    await indexed(service, served)
    await service.caughtUp()
    const fileOf = await filesOf(service)
    const moved = await transfersOf(served)
    const units: bigint[] = []
    for (const provider of providers) {
      const tokens = await tokensCompared({ service, fileOf, provider, isStated, moved })
      units.push(sumOf(tokens.map((token) => moved(token, provider))))
    }
    return units
  } finally {
    await service.close()
  }
}

interface Compared {
  readonly service: TestService
  fileOf(path: string): Promise<Row[]>
  readonly provider: Address
  isStated(token: Address): boolean
  moved(token: Address, account: Address): bigint
}

async function tokensCompared({ service, fileOf, provider, isStated, moved }: Compared): Promise<Address[]> {
  const { page, problems } = await browser.open()
  await page.goto(`${service.url}/desk?address=${provider}`)
  await page
    .getByText(/^Money in$|^Nothing has come in|no plan/)
    .first()
    .waitFor()
  const path = `/providers/${provider}/revenue?${await lastYear(service)}`
  const { tokens } = Revenue.parse((await service.get(path)).body)
  const asCsv = await fileOf(`${path}&format=csv`)
  const books = await fileOf(`/providers/${provider}/payments?format=csv`)
  const desk = await browser.open()
  if (tokens.length > 0) await desk.page.goto(`${service.url}/desk/payments?address=${provider}`)
  const saved = tokens.length === 0 ? [] : await paymentsSavedOn(desk.page)
  const compared: Address[] = []
  for (const [index, { token, total, intervals }] of tokens.entries()) {
    const address = getAddress(token.address)
    if (!isStated(address)) continue
    if (tokens.length > 1) {
      await page.getByRole('group', { name: 'Token' }).getByRole('button').nth(index).click()
    }
    const months = await monthsOn(page)
    const raw = (amount = 'none') => parseUnits(amount, token.decimals)
    const within = (rows: readonly Row[], column: string) => rows.filter((row) => row[column] === address)
    // A row is there only where something moved.
    const inYear = async (row: RegExp) => {
      const [amount = '0'] = await moneyIn(
        page.locator('.facts > div', { has: page.locator('dt', { hasText: row }) }),
      )
      return raw(amount)
    }
    const filled = await inYear(/^Less what filled/)
    const told = {
      api: total.arrived.amountRaw,
      apiParts: total.received.amountRaw + total.feeBalancesReceived.amountRaw,
      apiMonths: sumOf(intervals.map(({ arrived }) => arrived.amountRaw)),
      csv: sumOf(within(asCsv, 'token.address').map((row) => BigInt(row['arrived.amountRaw'] ?? 'none'))),
      payments: sumOf(
        within(books, 'token.address').map((row) => BigInt(row['toProvider.amountRaw'] ?? 'none')),
      ),
      desk: await inYear(/^Came to/),
      deskMonths: sumOf(months.map((row) => raw(row['Came in'] || '0'))),
      deskParts: (await inYear(/^Members paid/)) - filled + (await inYear(/^Plus reserves of/)),
      deskFile: sumOf(within(saved, 'token').map((row) => raw(row['came in']))),
    }
    const arrived = moved(address, provider)
    expect(told).toEqual(Object.fromEntries(Object.keys(told).map((place) => [place, arrived])))
    compared.push(address)
  }
  expect([...problems, ...desk.problems]).toEqual([])
  return compared
}

/** As the desk asks for it. */
async function lastYear(service: TestService): Promise<string> {
  const { body } = await service.get('/protocol/state')
  const { currentDay } = z.object({ currentDay: z.object({ dayNumber: z.number() }) }).parse(body)
  const dateAt = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
  return `from=${dateAt(currentDay.dayNumber - 300)}&to=${dateAt(currentDay.dayNumber + 1)}`
}

async function paymentsSavedOn(page: Page): Promise<Row[]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Payments as CSV' }).click()
  return rowsOf(readFileSync(await (await download).path(), 'utf8'))
}

const chain = await useTestChain({ terms: { maxRemits: 3n } })
const { world, providers, live } = await openPaymentLives(chain)
await chain.keep()

describe.skipIf(!browserIsInstalled)(
  'what came in is what the tokens’ transfers brought the provider',
  () => {
    it(
      'in the story of the development chain',
      async () => {
        const devnet = await startDevnet()
        const { url, chainId, contractAddress: contract, tokens } = devnet
        const served = { url, chainId, contract, tokens, client: createDevClient(url) }
        try {
          const units = await expectSameIncome(served, devnet.wallets.providers, { wallNow: Date.now })
          expect(units.every((sum) => sum > 0n)).toBe(true)
        } finally {
          await devnet.stop()
        }
      },
      LONG,
    )

    it.each(Array.from({ length: LIVES }, (_, index) => index + 1))(
      'in a random life, in every token: seed %i',
      async (seed) => {
        await live(seed)
        // It burns a part of each transfer, which its logs tell beside.
        const burning = world.tokens.find(({ name }) => name === 'FEE')?.address
        const units = await expectSameIncome(chain, providers, { isStated: (token) => token !== burning })
        expect(sumOf(units)).toBeGreaterThan(0n)
      },
      trialsTimeoutMs(LONG),
    )
  },
)
