import { runCommandLine } from '@remit/client/testing/cli/runCommandLine'
import { bytesToHex } from 'viem'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { signerOf, type TestChain, useTestChain } from '../support/chain/useTestChain.ts'
import { type CountingProxy, useCountingProxy } from '../support/nodes/countingProxy.ts'
import { type TestService, useTestService } from '../support/service/testService.ts'
import { type FaultyService, useFaultyService } from './faultyService.ts'

/** A USDC is worth so much that each remit pays, or so little that none does. No remit here pays DAI. */
export const PAYS = ['--price', 'USDC=0.01', '--price', 'DAI=1000']
export const DOES_NOT_PAY = ['--price', 'USDC=0.0001', '--price', 'DAI=1000']

export interface KeeperRun {
  readonly code: number
  readonly output: string
  readonly events: readonly string[]
  /** Remits that were mined. */
  readonly sent: number
  readonly paidWei: bigint
  readonly earnedRaw: bigint
}

export interface KeeperGround {
  readonly chain: TestChain
  readonly proxy: CountingProxy
  readonly faulty: FaultyService
  /** Runs the command in this process until nothing is to be done for now, or until it would wait for the service. */
  keep(args: readonly string[]): Promise<KeeperRun>
}

const Line = z.looseObject({ event: z.string() })
const KEEPER_WALLET = 9

/** A chain where a remit is due on each of these days of the week, and a service that can be made to lie. */
export async function useKeeperGround(dueDays: readonly number[]): Promise<KeeperGround> {
  const chain = await useTestChain()
  const { wallets } = chain
  const protocol = protocolOn(chain)
  for (const dueDay of dueDays) {
    const plan = await protocol.create({ dueDay })
    await protocol.join(plan, wallets.alice)
    await protocol.join(plan, wallets.bob)
  }
  await chain.advanceDays(5)
  await chain.keep()
  return useKeeperOn(chain, await useTestService([chain]))
}

/** A keeper's own node, and a service that can be made to lie. */
export async function useKeeperOn(chain: TestChain, service: TestService): Promise<KeeperGround> {
  const { wallets, tokens, client } = chain
  const protocol = protocolOn(chain)
  const faulty = await useFaultyService(service.url)
  const proxy = await useCountingProxy(chain.url)
  const { privateKey } = signerOf(KEEPER_WALLET).getHdKey()
  if (privateKey === null) throw new Error('the wallet has no key')
  const environment = {
    REMIT_URL: faulty.url,
    REMIT_RPC_URL: proxy.url,
    REMIT_KEEPER_KEY: bytesToHex(privateKey),
  }
  const measured = () =>
    Promise.all([
      client.getBalance({ address: wallets.keeper }),
      protocol.balanceOf(tokens.usdc, wallets.keeper),
      client.getTransactionCount({ address: wallets.keeper }),
    ])

  return {
    chain,
    proxy,
    faulty,
    async keep(args) {
      await service.caughtUp()
      const [ether, usdc, nonce] = await measured()
      const ending = new AbortController()
      let output = ''
      const write = (written: string) => {
        output += written
        if (written.includes('Trying again')) ending.abort()
      }
      const code = await runCommandLine({
        args: ['keeper', '--json', '--once', '--interval', '1', '--contract', chain.contract, ...args],
        environment,
        terminal: { isTty: false, columns: 100, colours: false, out: write, err: write },
        signal: ending.signal,
        version: () => '1.2.3',
      })
      const [etherAfter, usdcAfter, nonceAfter] = await measured()
      const lines = output.split('\n').filter((line) => line.startsWith('{'))
      return {
        code,
        output,
        events: lines.map((line) => Line.parse(JSON.parse(line)).event),
        sent: nonceAfter - nonce,
        paidWei: ether - etherAfter,
        earnedRaw: usdcAfter - usdc,
      }
    },
  }
}
