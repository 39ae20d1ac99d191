import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { browserIsInstalled, useBrowser } from '../support/browser/useBrowser.ts'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { serve } from '../support/service/serve.ts'
import { askAnywhere, type Question } from './askAnywhere.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { id } = await protocol.create({ dueDay: 3 })
await protocol.fund(chain.tokens.usdc, chain.wallets.alice, { balance: 1_000_000_000n })
const question: Question = {
  chainId: chain.chainId,
  contract: chain.contract,
  url: chain.url,
  tokens: Object.values(chain.tokens),
  subscriptionId: id,
  from: chain.wallets.alice,
}

const { outputFiles } = await build({
  entryPoints: ['test/engine/askAnywhere.ts'],
  bundle: true,
  // Nothing of Node may be needed: a browser's bundle refuses to import it.
  platform: 'browser',
  format: 'iife',
  globalName: 'engine',
  target: 'es2022',
  write: false,
  logLevel: 'warning',
})
const script = outputFiles[0]?.text ?? ''
const browser = useBrowser()

describe.skipIf(!browserIsInstalled)('the engine, over a chain and with nothing else', () => {
  it('answers in a page and in a worker what it answers in Node', async () => {
    const here = await askAnywhere(question)
    expect(here).toHaveLength(3)
    const url = await serve((_, response) => void response.setHeader('content-type', 'text/html').end('<p>'))
    const { page, problems } = await browser.open()
    await page.goto(url)
    const inPage = await page.evaluate(
      `(async () => { ${script}; return engine.askAnywhere(${JSON.stringify(question)}) })()`,
    )
    const inWorker = await page.evaluate(`new Promise((resolve, reject) => {
      const work = ${JSON.stringify(`${script}; engine.askAnywhere(${JSON.stringify(question)}).then(postMessage)`)}
      const worker = new Worker(URL.createObjectURL(new Blob([work])))
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
    })`)
    expect(inPage).toEqual(here)
    expect(inWorker).toEqual(here)
    expect(problems).toEqual([])
  })
})
