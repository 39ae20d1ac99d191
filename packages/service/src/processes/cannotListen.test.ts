import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadConfig } from '../configuration/loadConfig.ts'
import { cannotListen } from './cannotListen.ts'
import { startService } from './service.ts'

const folder = mkdtempSync(join(tmpdir(), 'remit-listen-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const log = { info: () => {}, warn: () => {}, error: () => {} }
/** Set aside for documentation, so no machine has it. */
const NOT_MINE = '192.0.2.1'

it.each([[{}], [{ METRICS_PORT: '0' }]])(
  'says that HOST is wrong where this machine does not have the address, with %j',
  async (environment) => {
    const config = loadConfig({
      RPC_URL_8453: 'http://127.0.0.1:9',
      DATABASE_URL: `file:${join(folder, 'remit.db')}`,
      HOST: NOT_MINE,
      PORT: '0',
      ...environment,
    })
    const sentence = `HOST ${NOT_MINE} cannot be listened on (EADDRNOTAVAIL): set it to an address of this machine, or to 0.0.0.0 for all of them.`
    await expect(startService(config, log)).rejects.toMatchObject({ name: 'ConfigError', message: sentence })
  },
)

it.each([
  ['EADDRINUSE', 'Take another port.'],
  ['EACCES', 'PORT 80 is not allowed for this user: set it to 1024 or higher.'],
  ['ENOTFOUND', expect.stringMatching(/^HOST box cannot be listened on \(ENOTFOUND\): set it to /)],
])('names what to change where listening fails with %s', (code, message) => {
  const cause = Object.assign(new Error('listen failed'), { code })
  const listening = { variable: 'PORT', host: 'box', port: 80, whereTaken: 'Take another port.' } as const
  expect(cannotListen(listening, cause)).toMatchObject({ name: 'ConfigError', message, cause })
})

it('names the port of the metrics where it is that of the service', async () => {
  const config = loadConfig({ RPC_URL_8453: 'http://127.0.0.1:9', PORT: '3111', METRICS_PORT: '3111' })
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  await expect(startService(config, log)).rejects.toThrow(
    'METRICS_PORT and PORT are both 3111: set METRICS_PORT to another one.',
  )
})
