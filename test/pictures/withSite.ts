import { environmentOver } from '@remit/devchain/testing/main'
import { type Devnet, startDevnet } from '@remit/devchain/testing/startDevnet'
import { loadConfig } from '@remit/service/configuration/loadConfig'
import { startService } from '@remit/service/processes/service'
import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../support/programs/installed.ts'

export interface ShownSite {
  readonly url: string
  readonly devnet: Devnet
  readonly browser: Browser
}

/** Shows the site over the development chain's story in Chromium, until `use` ends. */
export async function withSite(use: (site: ShownSite) => Promise<void>): Promise<void> {
  const executablePath = findChromium()
  if (executablePath === undefined)
    throw new Error('Chromium is not installed: apt-get install chromium-headless-shell')
  const silent = { info: () => {}, warn: () => {}, error: () => {} }
  const devnet = await startDevnet({ port: 0 })
  const config = loadConfig(environmentOver(devnet, { ...process.env, PORT: '0' }))
  const service = await startService(config, silent)
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  })
  try {
    await service.ready
    await indexed(service.url)
    await use({ url: service.url, devnet, browser })
  } finally {
    await browser.close()
    await service.close()
    await devnet.stop()
  }
}

/** Waits until the story is in the index. */
async function indexed(url: string): Promise<void> {
  for (;;) {
    const status: unknown = await (await fetch(`${url}/status`)).json()
    if (JSON.stringify(status).includes('"synced":true')) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
