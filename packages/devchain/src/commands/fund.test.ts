import { startTestService } from '@remit/testing/support/service/testService'
import { afterAll, describe, expect, it } from 'vitest'
import { createDevClient } from '../chain/client.ts'
import { startDevnet } from '../startDevnet.ts'
import { fund, parseFund } from './fund.ts'

const WALLET = '0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1'

describe('devnet:fund', async () => {
  const devnet = await startDevnet()
  const client = createDevClient(devnet.url)
  const served = { url: devnet.url, chainId: devnet.chainId, contract: devnet.contractAddress, client }
  const service = await startTestService([{ ...served, tokens: devnet.tokens }])
  afterAll(async () => {
    await service.close()
    await devnet.stop()
  })
  const running = { url: service.url, rpcUrl: devnet.url }
  const give = (...args: string[]) => {
    const { named: _, ...gift } = parseFund([WALLET, ...args])
    return fund(running, gift)
  }
  const balances = async () => {
    const { body } = await service.get('/approved-tokens')
    expect(body).toMatchObject({ tokens: [{}, {}] })
    const [usdc, dai] = await Promise.all(
      [devnet.tokens.usdc, devnet.tokens.dai].map((address) =>
        client.readContract({
          address,
          abi: [
            {
              type: 'function',
              name: 'balanceOf',
              stateMutability: 'view',
              inputs: [{ name: 'account', type: 'address' }],
              outputs: [{ name: '', type: 'uint256' }],
            },
          ],
          functionName: 'balanceOf',
          args: [WALLET],
        }),
      ),
    )
    return { eth: await client.getBalance({ address: WALLET }), usdc, dai }
  }

  it('gives ether and every token if none is named, on top of the balance', async () => {
    const said = await give()
    expect(said).toEqual(expect.arrayContaining(['10 ETH', '1000 USDC', '1000 DAI']))
    const eth = 10n ** 19n
    expect(await balances()).toEqual({ eth, usdc: 1_000_000_000n, dai: 10n ** 21n })
    expect(await give('--eth', '0.5')).toEqual(['0.5 ETH'])
    expect(await give('--token', 'usdc', '--amount', '2.5')).toEqual(['2.5 USDC'])
    expect(await give('--token', devnet.tokens.dai)).toEqual(['1000 DAI'])
    expect(await balances()).toEqual({ eth: eth + eth / 20n, usdc: 1_002_500_000n, dai: 2n * 10n ** 21n })
  })

  it('gives all as it does without options, but for the amount, where only that is named', () =>
    expect(parseFund([WALLET, '--amount', '200'])).toMatchObject({ eth: '10', tokens: 'all', amount: '200' }))

  it('gives nothing if any part of it cannot be given', async () => {
    const before = await balances()
    await expect(give('--eth', '1', '--token', 'USDT')).rejects.toThrow(
      /no approved token USDT; there are .*USDC/,
    )
    await expect(give('--token', 'USDC', '--amount', '0.0000001')).rejects.toThrow('USDC has 6 decimals')
    const { named: _, ...gift } = parseFund([WALLET])
    await expect(fund({ ...running, url: 'http://127.0.0.1:9' }, gift)).rejects.toThrow(
      'did not tell its tokens',
    )
    await expect(fund({ ...running, rpcUrl: 'http://127.0.0.1:9' }, gift)).rejects.toThrow('No chain answers')
    expect(await balances()).toEqual(before)
  })

  it.each([
    [[]],
    [['0x1']],
    [[WALLET, '--eth', '-1']],
    [[WALLET, '--amount', 'all']],
    [[WALLET, WALLET]],
    [['--x']],
  ])('answers %j with its usage', (args) =>
    expect(() => parseFund(args)).toThrow('Usage: npm run devnet:fund -- <address>'),
  )
})
