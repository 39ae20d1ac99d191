import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sitePages } from '@remit/service/testing/surfaces/site/pages/declared'
import { readSiteFiles } from '@remit/service/testing/surfaces/site/pages/siteFiles'
import { BUILT } from '@remit/site/build'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { buildSiteOnce } from '../support/browser/buildSiteOnce.ts'

await buildSiteOnce()
const files = readSiteFiles()
const bytesOf = (file: string) => gzipSync(readFileSync(join(BUILT, file))).length
const total = (names: readonly string[]) => names.reduce((sum, name) => sum + bytesOf(name), 0)
const KB = 1024

/** Every page's first load: what its document names. */
const first = (page: string) => {
  const { script, preloads } = files?.of(page) ?? { script: '', preloads: [] }
  return [script, ...preloads]
}

/** As Vite writes it. */
const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    dynamicImports: z.array(z.string()).default([]),
  }),
)
const manifest = Manifest.parse(JSON.parse(readFileSync(join(BUILT, '.vite/manifest.json'), 'utf8')))

/** By which viem finds a signature's key. Of a page only the engine does, for who carries what somebody has signed. */
const KEY_RECOVERY = '../../node_modules/@noble/curves/esm/secp256k1.js'

/** What is loaded only where an operator offers it, and somebody has chosen it. */
const CHOSEN = 'src/wallet/walletConnect.ts'

/** What prepares at the wallet's own node, which is loaded for whoever signs. */
const ENGINE = ['../client/src/node/engine.ts', '../client/src/generated/nodeOperations.ts']

/** What checks proofs: the client's callers ask for it, and no page does. */
const PROOFS = '../client/src/proofs/verifyAnswers.ts'

/** The test wallets, which there are on development chains alone. */
const DEVELOPMENT = 'src/wallet/testWallets.ts'

/** What signs and carries permits and gifts, which few do. */
const PERMITS = ['sign', 'carry', 'carryPermits'].map((name) => `../client/src/sending/signed/${name}.ts`)

/** Every file that a page may ever load, but what must be chosen, the engine, and what few ask for. */
const everything = (page: string) => {
  const reached = new Set([...(manifest['src/main.ts']?.imports ?? []), `src/pages/${page}/page.tsx`])
  // A set may grow while it is walked.
  for (const name of reached) {
    const { imports = [], dynamicImports = [] } = manifest[name] ?? {}
    for (const next of [...imports, ...dynamicImports]) {
      if (![...ENGINE, ...PERMITS, KEY_RECOVERY, 'src/main.ts', CHOSEN, PROOFS, DEVELOPMENT].includes(next))
        reached.add(next)
    }
  }
  const loaded = [...reached].map((name) => manifest[name]?.file ?? '')
  return [...new Set([...first(page), ...loaded])]
}

describe('what a browser loads', () => {
  it.each(sitePages.map(({ name }) => name))('for the first sight of %s is small', (page) => {
    expect(total(first(page))).toBeLessThanOrEqual(60 * KB)
  })

  it.each(sitePages.map(({ name }) => name))('for %s is at most 160 KB with every chunk', (page) => {
    expect(total(everything(page))).toBeLessThanOrEqual(160 * KB)
  })

  it('has the test wallets of development chains in a file that no page names', () => {
    const { file = '' } = manifest[DEVELOPMENT] ?? {}
    expect(bytesOf(file)).toBeGreaterThan(0)
    expect(sitePages.some(({ name }) => first(name).includes(file))).toBe(false)
  })

  it('has WalletConnect in files that nothing else needs', () => {
    const { file = '', imports = [] } = manifest[CHOSEN] ?? {}
    expect(bytesOf(file)).toBeGreaterThan(50 * KB)
    expect(sitePages.some(({ name }) => everything(name).includes(file))).toBe(false)
    const own = imports.map((name) => manifest[name]?.file ?? '')
    expect(total([file, ...own.filter((name) => !everything('subscribe').includes(name))])).toBeLessThan(
      200 * KB,
    )
  })

  it.each(['prepareSubscribe', 'prepareRemit'])(
    'to prepare at the wallet’s node is at most 150 KB more: %s',
    (name) => {
      const operation = Object.keys(manifest).filter((key) => key.endsWith(`/${name}.ts`))
      expect(operation).toHaveLength(1)
      const reached = new Set([...ENGINE, ...operation])
      for (const key of reached) for (const next of manifest[key]?.imports ?? []) reached.add(next)
      const known = new Set(everything('subscribe'))
      const more = [...reached].map((key) => manifest[key]?.file ?? '').filter((file) => !known.has(file))
      expect(total([...new Set(more)])).toBeLessThanOrEqual(150 * KB)
    },
  )

  it('to sign or carry a permit or a gift is at most 8 KB more', () => {
    const reached = new Set(PERMITS)
    for (const key of reached) for (const next of manifest[key]?.imports ?? []) reached.add(next)
    const known = new Set(everything('desk'))
    const more = [...reached].map((key) => manifest[key]?.file ?? '').filter((file) => !known.has(file))
    expect(total([...new Set(more)])).toBeLessThanOrEqual(8 * KB)
  })

  it('is counted with what a page loads later: what signs, what draws', () => {
    expect(total(everything('subscribe'))).toBeGreaterThan(total(first('subscribe')) + 20 * KB)
    expect(everything('desk').some((file) => file.includes('Qr'))).toBe(true)
  })
})
