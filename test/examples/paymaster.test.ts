import { createClient } from '@remit/client'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import {
  type Address,
  concatHex,
  createWalletClient,
  custom,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  numberToHex,
  parseAbi,
} from 'viem'
import {
  entryPoint07Abi,
  entryPoint07Address,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn, type Subscription } from '../support/chain/protocolOn.ts'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import {
  bundlerIsInstalled,
  todayNoon,
  usePaymasterExample,
} from '../support/programs/usePaymasterExample.ts'
import { useTestService } from '../support/service/testService.ts'
import { sponsoredWallet } from '../support/wallets/sponsoredWallet.ts'

if (bundlerIsInstalled) describe('the paymaster', suite)
else it.skipIf(!bundlerIsInstalled)('the paymaster', () => {})

async function suite(): Promise<void> {
  // The bundler keeps what it has seen of the chain.
  const chain = await useTestChain({ goesOn: true, timestamp: todayNoon() })
  const protocol = protocolOn(chain)
  const { usdc } = chain.tokens
  const today = Math.floor((await chain.now()) / 86_400)
  // Due in three days and in two, whatever day today is.
  const weekday = ((today + 3) % 7) + 1
  const [weekly, other] = [
    await protocol.create({ dueDay: ((weekday + 2) % 7) + 1 }),
    await protocol.create({ dueDay: ((weekday + 1) % 7) + 1 }),
  ]
  const service = await useTestService([chain])

  const startExample = await usePaymasterExample(chain, service)
  const example = await startExample({ PLANS: weekly.id })
  /** Over the node, which has what was mined a moment ago. */
  const clientNow = () =>
    createClient({
      node: chain.url,
      chainId: chain.chainId,
      contracts: { [chain.chainId]: chain.contract },
    })

  /** A wallet of a key that nobody else uses, with 1,000 USDC and no ether. */
  async function newWallet(key: number, { factory, bundlerUrl } = example) {
    const { url: rpcUrl, chainId } = chain
    const wallet = await sponsoredWallet(signerOf(key), { rpcUrl, chainId, factory, bundlerUrl })
    const hash = await chain.client.writeContract({
      account: chain.wallets.alice,
      chain: null,
      address: usdc,
      abi: parseAbi(['function mint(address to, uint256 amount)']),
      functionName: 'mint',
      args: [wallet.address, 1_000_000_000n],
    })
    await chain.client.waitForTransactionReceipt({ hash })
    return wallet
  }

  type Wallet = Awaited<ReturnType<typeof newWallet>>
  interface Call {
    readonly to: Address
    readonly data: Hex
    readonly value?: bigint
  }
  type Operation = Omit<UserOperation<'0.7'>, 'signature'>

  /** What Remit prepares for subscribing. */
  async function subscribing(wallet: Wallet, { id }: Subscription = weekly): Promise<[Call, Call]> {
    const { unsignedTransactions = [] } = await clientNow().subscribe({ id }).prepare(wallet.address)
    const [approval, subscribe] = unsignedTransactions.map(({ to, data }) => ({ to, data }))
    if (approval === undefined || subscribe === undefined) throw new Error('nothing to subscribe with')
    return [approval, subscribe]
  }

  /** An operation of these calls that can cost 0.001 ETH at most, and has no paymaster yet. */
  async function operationOf(
    { account, address }: Wallet,
    calls: readonly Call[],
    change: Partial<Operation> & { readonly key?: bigint } = {},
  ): Promise<Operation> {
    const { key = 0n, ...others } = change
    const isDeployed = (await chain.client.getCode({ address })) !== undefined
    return {
      sender: address,
      nonce: await account.getNonce({ key }),
      ...(isDeployed ? {} : await account.getFactoryArgs()),
      callData: await account.encodeCalls(calls),
      callGasLimit: 400_000n,
      verificationGasLimit: 400_000n,
      preVerificationGas: 140_000n,
      maxFeePerGas: 1_000_000_000n,
      maxPriorityFeePerGas: 1n,
      ...others,
    }
  }

  const Said = z.object({
    result: z
      .object({
        paymaster: z.custom<Address>(),
        paymasterData: z.custom<Hex>(),
        paymasterVerificationGasLimit: z.string(),
      })
      .optional(),
    error: z.object({ code: z.number(), message: z.string() }).optional(),
  })

  /** What the paymaster says to an operation. */
  async function ask(
    operation: Operation,
    method: 'pm_getPaymasterStubData' | 'pm_getPaymasterData' = 'pm_getPaymasterData',
    { paymasterUrl } = example,
  ) {
    const hex = (_: string, value: unknown) => (typeof value === 'bigint' ? numberToHex(value) : value)
    const params = [operation, entryPoint07Address, numberToHex(chain.chainId), {}]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, hex)
    const response = await fetch(paymasterUrl, { method: 'POST', body })
    return Said.parse(await response.json())
  }

  /** The operation with what the paymaster has granted it. */
  async function granted(operation: Operation, at = example): Promise<Operation> {
    const { result, error } = await ask(operation, 'pm_getPaymasterData', at)
    if (result === undefined) throw new Error(error?.message)
    const { paymaster, paymasterData, paymasterVerificationGasLimit } = result
    return {
      ...operation,
      paymaster,
      paymasterData,
      paymasterVerificationGasLimit: BigInt(paymasterVerificationGasLimit),
      paymasterPostOpGasLimit: 0n,
    }
  }

  /** Has EntryPoint carry it, signed by its account. Throws what EntryPoint refuses it with. */
  async function carry({ account }: Wallet, operation: Operation): Promise<void> {
    const signature = await account.signUserOperation({
      ...operation,
      chainId: chain.chainId,
      signature: '0x',
    })
    const { request } = await chain.client.simulateContract({
      account: chain.wallets.keeper,
      address: entryPoint07Address,
      abi: entryPoint07Abi,
      functionName: 'handleOps',
      args: [[toPackedUserOperation({ ...operation, signature })], chain.wallets.keeper],
    })
    await chain.client.waitForTransactionReceipt({
      hash: await chain.client.writeContract({ ...request, chain: null }),
    })
  }

  it('a wallet with USDC and no ether subscribes and leaves, and the paymaster pays for both', async () => {
    const wallet = await newWallet(20)
    const walletClient = createWalletClient({ account: wallet.address, transport: custom(wallet) })
    const { paymasterUrl } = example
    const how = { pollingIntervalMs: 100 }
    const subscribed = await clientNow().subscribe({ id: weekly.id, paymasterUrl }).send(walletClient, how)
    expect(subscribed).toMatchObject({
      subscriptionId: weekly.id,
      transactions: [{ functions: ['approve', 'subscribe'] }],
      firstCharge: { toFeeBalance: { amount: '4.285714' } },
    })
    expect(await protocol.subscribersOf(weekly)).toEqual([wallet.address])
    const left = await clientNow().unsubscribe({ id: weekly.id, paymasterUrl }).send(walletClient, how)
    expect(left.refunded.amount).toBe('4.285714')
    expect(await protocol.subscribersOf(weekly)).toEqual([])
    expect(await chain.client.getBalance({ address: wallet.address })).toBe(0n)
  })

  describe('pays for nothing but what Remit prepares for a plan of its own', async () => {
    const wallet = await newWallet(21)
    const [approval, subscribe] = await subscribing(wallet)
    const approve = (spender: Address, amount: bigint): Call => ({
      to: usdc,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
    })
    const transfer: Call = {
      to: usdc,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'transfer',
        args: [chain.wallets.stranger, 1n],
      }),
    }
    const CASES: Readonly<Record<string, () => Promise<Operation>>> = {
      'a foreign call': () => operationOf(wallet, [transfer]),
      'a foreign call in front': () => operationOf(wallet, [transfer, approval, subscribe]),
      'a foreign call at the end': () => operationOf(wallet, [approval, subscribe, transfer]),
      'the approval alone': () => operationOf(wallet, [approval]),
      'ether beside it': () => operationOf(wallet, [approval, { ...subscribe, value: 1n }]),
      'another plan': async () => operationOf(wallet, await subscribing(wallet, other)),
      'a permission without end': () => operationOf(wallet, [approve(chain.contract, maxUint256), subscribe]),
      'a permission for more': () => operationOf(wallet, [approve(chain.contract, 200_000_000n), subscribe]),
      'a permission for somebody else': () =>
        operationOf(wallet, [approve(chain.wallets.stranger, 124_285_714n), subscribe]),
      'another contract with the same calldata': () =>
        operationOf(wallet, [approval, { ...subscribe, to: chain.wallets.stranger }]),
      'bytes behind the calldata': async () => {
        const callData = concatHex([await wallet.account.encodeCalls([approval, subscribe]), '0x00'])
        return operationOf(wallet, [], { callData })
      },
      'leaving what the wallet is no member of': () =>
        operationOf(wallet, [
          {
            to: chain.contract,
            data: encodeFunctionData({ abi: Subscriptions.abi, functionName: 'unsubscribe', args: [weekly] }),
          },
        ]),
      'an account of another factory': () =>
        operationOf(wallet, [approval, subscribe], { factory: chain.wallets.stranger }),
      'a nonce that is not the next one': () => operationOf(wallet, [approval, subscribe], { nonce: 7n }),
      'more than one operation may cost': () =>
        operationOf(wallet, [approval, subscribe], { maxFeePerGas: 10n ** 12n }),
    }

    it.each(Object.keys(CASES))('refuses %s', async (name) => {
      const operation = await CASES[name]?.()
      if (operation === undefined) throw new Error('no operation')
      const { result, error } = await ask(operation)
      expect({ result, code: error?.code }).toEqual({ result: undefined, code: -32_602 })
    })

    it('signs what Remit prepares, so that what is refused above is refused for its difference', async () => {
      for (const method of ['pm_getPaymasterStubData', 'pm_getPaymasterData'] as const) {
        expect(await ask(await operationOf(wallet, [approval, subscribe]), method)).toHaveProperty('result')
      }
    })

    it('refuses an account with code that could read the same calldata otherwise', async () => {
      const odd = await newWallet(22)
      await chain.client.setCode({ address: odd.address, bytecode: '0x00' })
      const { error } = await ask(await operationOf(odd, await subscribing(odd)))
      expect(error?.message).toMatch(/other code/)
    })
  })

  it('is used once: not again, not for other calls, and not after ten minutes', async () => {
    const wallet = await newWallet(23)
    const [approval, subscribe] = await subscribing(wallet)
    const operation = await granted(await operationOf(wallet, [approval, subscribe]))
    const callData = await wallet.account.encodeCalls([approval])
    await expect(carry(wallet, { ...operation, callData })).rejects.toThrow(/AA34/)
    await expect(carry(wallet, { ...operation, maxFeePerGas: 2_000_000_000n })).rejects.toThrow(/AA34/)
    await carry(wallet, operation)
    expect(await protocol.subscribersOf(weekly)).toContain(wallet.address)
    await expect(carry(wallet, operation)).rejects.toThrow(/AA10/)
    const { factory: _, factoryData: __, ...again } = operation
    await expect(carry(wallet, again)).rejects.toThrow(/AA25/)
    expect((await ask(operation)).error?.message).toMatch(/nonce/)

    const { unsignedTransactions = [] } = await clientNow()
      .unsubscribe({ id: weekly.id })
      .prepare(wallet.address)
    const leaving = await granted(await operationOf(wallet, unsignedTransactions))
    await chain.advanceTo(Math.max(await chain.now(), Math.floor(Date.now() / 1_000)) + 700)
    await expect(carry(wallet, leaving)).rejects.toThrow(/AA32/)
  })

  it('pays for one wallet four times at most', async () => {
    const wallet = await newWallet(24)
    const calls = await subscribing(wallet)
    for (const key of [1n, 2n, 3n, 4n]) await granted(await operationOf(wallet, calls, { key }))
    expect((await ask(await operationOf(wallet, calls, { key: 5n }))).error?.message).toMatch(/often enough/)
    // The same operation once more is no other one.
    await granted(await operationOf(wallet, calls, { key: 4n }))
  })

  it('sets what each can cost aside, takes what it did cost, and gives the rest back', async () => {
    const poor = await startExample({ PLANS: weekly.id, BUDGET_WEI: String(15n * 10n ** 14n) })
    const [first, second] = [await newWallet(25, poor), await newWallet(26, poor)]
    const [one, two] = [
      await operationOf(first, await subscribing(first)),
      await operationOf(second, await subscribing(second)),
    ]
    const operation = await granted(one, poor)
    expect((await ask(two, 'pm_getPaymasterData', poor)).error?.message).toMatch(/used up/)
    // It did cost less than the half of what was set aside.
    await carry(first, operation)
    await granted(two, poor)
    const third = await newWallet(27, poor)
    const late = await operationOf(third, await subscribing(third))
    expect((await ask(late, 'pm_getPaymasterData', poor)).error?.message).toMatch(/used up/)
    // What was granted and never sent comes back with its time.
    await chain.advanceTo(Math.max(await chain.now(), Math.floor(Date.now() / 1_000)) + 700)
    await granted(late, poor)
  })
}
