import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex } from 'viem'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { useCountingProxy } from '../support/nodes/countingProxy.ts'
import { type Program, runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { useTestService } from '../support/service/testService.ts'

const chain = await useTestChain()
const { wallets, tokens } = chain
const proxy = await useCountingProxy(chain.url)
const service = await useTestService([chain])
const remit = await useBundle('packages/client/src/cli/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'remit-keeper-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PINNED = ['--contract', chain.contract]
const USUAL = [...PINNED, '--once', '--interval', '1', '--price', `${tokens.usdc}=0.5`]

const { privateKey } = signerOf(9).getHdKey()
if (privateKey === null) throw new Error('the wallet has no key')
const KEEPER = bytesToHex(privateKey)

beforeEach(() => service.caughtUp())

function keeper(args: readonly string[], environment: Record<string, string> = {}): Program {
  return runBundled(remit, ['keeper', ...args], {
    REMIT_URL: service.url,
    REMIT_RPC_URL: proxy.url,
    REMIT_KEEPER_KEY: KEEPER,
    ...environment,
  })
}

describe('the keeper does not start', () => {
  it('if the RPC is on another chain than --chain', async () => {
    const program = keeper([...USUAL, '--chain', '8453'])
    expect(await program.ends()).toBe(2)
    expect(program.output()).toContain(`on chain ${chain.chainId} and not on 8453`)
  })

  it('if the service does not serve the chain of the RPC', async () => {
    proxy.fail({ chainId: 84_532 })
    const program = keeper(USUAL)
    expect(await program.ends()).toBe(2)
    expect(program.output()).toContain('84532')
  })

  it('if only the service names the contract', async () => {
    const program = keeper(['--once', '--price', `${tokens.usdc}=0.5`])
    expect(await program.ends()).toBe(2)
    expect(program.output()).toContain('give its address with --contract')
  })

  it('if there is no contract at --contract', async () => {
    const program = keeper([...USUAL, '--contract', wallets.alice])
    expect(await program.ends()).toBe(2)
    expect(program.output()).toContain('is no contract of the protocol')
  })

  it('with a key that others may read', async () => {
    const file = join(folder, 'key')
    writeFileSync(file, KEEPER)
    chmodSync(file, 0o644)
    const open = keeper([...USUAL, '--key-file', file], { REMIT_KEEPER_KEY: '' })
    expect(await open.ends()).toBe(2)
    expect(open.output()).toContain('chmod 600')
    expect(open.output()).not.toContain(KEEPER.slice(2))

    chmodSync(file, 0o600)
    const kept = keeper([...USUAL, '--dry-run', '--key-file', file], { REMIT_KEEPER_KEY: '' })
    expect(await kept.ends(), kept.output()).toBe(0)
  })

  it('with a price for a token that the protocol has not approved', async () => {
    const program = keeper([...PINNED, '--once', '--price', 'WETH=1'])
    expect(await program.ends()).toBe(2)
    expect(program.output()).toContain('has not approved a token WETH')
  })
})
