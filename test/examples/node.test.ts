import { execFile } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { createDevClient } from '@remit/devchain/testing/chain/client'
import type { Address } from 'viem'
import { expect, it } from 'vitest'
import { useClientPackage } from '../support/programs/useClientPackage.ts'
import { startDevnetService } from './devnetService.ts'

const runFile = promisify(execFile)
const example = fileURLToPath(new URL('../../examples/node/subscribe.ts', import.meta.url))
const CONTRACT: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const NEWCOMER: Address = '0x71bE63f3384f5fb98995898A86B02Fb2426c5788'

// As somebody has it who copied the example and installed the client from npm.
const { project, run: runTool } = await useClientPackage()
copyFileSync(example, join(project, 'subscribe.ts'))
const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  exactOptionalPropertyTypes: true,
  types: ['node'],
  typeRoots: [fileURLToPath(new URL('../../node_modules/@types', import.meta.url))],
  noEmit: true,
  // test/client/package.test.ts checks the package's own declarations, and viem's with them.
  skipLibCheck: true,
}
writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['subscribe.ts'] }))

async function runExample(environment: Record<string, string>): Promise<string> {
  const { stdout } = await runFile(process.execPath, ['--import', 'tsx', 'subscribe.ts'], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
  })
  return stdout
}

it('compiles strictly against the package that npm would ship', async () => {
  await runTool('tsc', ['-p', 'tsconfig.json'])
})

it('subscribes by that package, as the chain shows, and a second time is told why not', async () => {
  const { rpc, environment } = await startDevnetService()
  const chain = createDevClient(rpc)
  const subscriptions = async () => {
    const rows = await chain.readContract({
      address: CONTRACT,
      abi: Subscriptions.abi,
      functionName: 'getAccountSubscriptions',
      args: [true, NEWCOMER],
    })
    return rows.map(({ subscription, status }) => [subscription.frequency, status])
  }
  expect(await subscriptions()).toEqual([])

  const said = await runExample(environment)
  expect(said).toMatch(/Subscribed: \d+(\.\d+)? USDC taken now/)
  expect(said).toMatch(/Next due 20\d\d-\d\d-\d\d; the allowance lasts for 12 charges\./)
  const MONTHLY_AND_ACTIVE = [1, 0]
  expect(await subscriptions()).toEqual([MONTHLY_AND_ACTIVE])

  expect(await runExample(environment)).toContain('Not this one: ')
  expect(await subscriptions()).toHaveLength(1)
}, 60_000)
