import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Address, getAddress } from 'viem'
import { afterAll } from 'vitest'
import type { TestChain } from '../chain/useTestChain.ts'
import { freePort } from '../service/freePort.ts'
import type { TestService } from '../service/testService.ts'
import { findBuilt } from './installed.ts'
import { useClientPackage } from './useClientPackage.ts'

const INSTALLED = fileURLToPath(new URL('../../bundler/node_modules', import.meta.url))

/** For `describe.skipIf(!bundlerIsInstalled)`. */
export const bundlerIsInstalled =
  findBuilt('alto (`npm ci` in test/bundler/)', join(INSTALLED, '@pimlico/alto/package.json')) !== undefined

/** Where examples/paymaster answers, and what deploys the accounts that it knows. */
export interface PaymasterExample {
  readonly paymasterUrl: string
  readonly bundlerUrl: string
  readonly factory: Address
}

/**
 * Noon of this machine's day, unix time in seconds, for the chain to begin at: the bundler takes the clock of the machine for the
 * chain's.
 */
export function todayNoon(): number {
  return Math.floor(Date.now() / 86_400_000) * 86_400 + 43_200
}

/** examples/paymaster in a project of its own. Returns what starts it as its reader does; it ends with the test file. */
export async function usePaymasterExample(
  chain: Pick<TestChain, 'url'>,
  service: Pick<TestService, 'url'>,
): Promise<(environment: Record<string, string>) => Promise<PaymasterExample>> {
  const { project } = await useClientPackage()
  cpSync(fileURLToPath(new URL('../../../examples/paymaster', import.meta.url)), join(project, 'paymaster'), {
    recursive: true,
  })
  // What its reader installs with it.
  mkdirSync(join(project, 'paymaster/node_modules'))
  for (const scope of ['@account-abstraction', '@pimlico']) {
    symlinkSync(join(INSTALLED, scope), join(project, 'paymaster/node_modules', scope))
  }
  const children: ChildProcess[] = []
  afterAll(() => {
    for (const child of children) child.kill()
  })

  return async (environment) => {
    const started = spawn(process.execPath, ['--import', 'tsx', 'paymaster/devchain.ts'], {
      cwd: project,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        REMIT_URL: service.url,
        RPC_URL: chain.url,
        BUNDLER_PORT: String(await freePort()),
        PORT: '0',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(started)
    let said = ''
    return new Promise((resolve, reject) => {
      started.stdout.on('data', (chunk) => {
        said += String(chunk)
        const [, factory] = /deployed by (0x\w+)/.exec(said) ?? []
        const [, bundlerUrl] = /bundler answers at (\S+)/.exec(said) ?? []
        const [, paymasterUrl] = /paymaster answers at (\S+)/.exec(said) ?? []
        if (factory && bundlerUrl && paymasterUrl) {
          resolve({ factory: getAddress(factory), bundlerUrl, paymasterUrl })
        }
      })
      started.on('exit', () => reject(new Error(`the example has ended: ${said}`)))
    })
  }
}
