import { DaiLikeToken } from '@remit/contracts/DaiLikeToken'
import { PermitToken } from '@remit/contracts/PermitToken'
import { SmartAccount } from '@remit/contracts/SmartAccount'
import { TestToken } from '@remit/contracts/TestToken'
import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import { callOf, MAX_TRANSACTION_GAS, mineBlock } from '@remit/devchain/testing/chain/block'
import { type PermitForm, permitCalls, permitTypedData } from '@remit/protocol/signed/permit'
import { takeDeployedChain } from '@remit/testing/support/chain/takeDeployedChain'
import { signerOf } from '@remit/testing/support/wallets/signerOf'
import { type Address, encodeDeployData, type Hex, maxUint256 } from 'viem'
import { table } from './print.ts'

// The gas of a carried permit beside that of an approval of the same amount, by token: the first permission of a wallet, and another
// one where a part of the first is left.

const NAME = 'Signed Coin'
const AMOUNT = 120_000_000n
/** What is left of the first permission before the second. */
const LEFT = 7_000_000n

const { client, wallets, deployment, chainId, stop } = await takeDeployedChain({
  timestamp: Math.floor(Date.now() / 1_000),
  isNew: true,
})
const { alice, bob, keeper, stranger } = wallets
const spender = deployment.contract
const deadline = 2_000_000_000

/** Mines one transaction in a block of its own, so that it finds every slot cold. */
async function gasOf(from: Address, to: Address, data: Hex): Promise<bigint> {
  const [receipt] = await mineBlock(client, [{ from, to, data, label: 'a permission' }])
  if (receipt === undefined) throw new Error('The transaction has no receipt')
  return receipt.gasUsed
}

async function deploy(data: Hex): Promise<Address> {
  const [receipt] = await mineBlock(client, [
    { from: wallets.admin, data, gas: MAX_TRANSACTION_GAS, label: 'a deployment' },
  ])
  if (!receipt?.contractAddress) throw new Error('The deployment has no address')
  return receipt.contractAddress
}

interface Case {
  readonly of: string
  readonly bytecode: Hex
  readonly version: string
  readonly form: PermitForm
  /** Which of the calls that could carry it. */
  readonly call: number
  /** Whose permission it is: of bob's key, or of a contract for which bob signs. */
  readonly isContract?: boolean
}

const CASES: readonly Case[] = [
  { of: 'USDC', bytecode: UsdcLikeToken.bytecode, version: '2', form: 'eip2612', call: 0 },
  { of: 'USDC, in bytes', bytecode: UsdcLikeToken.bytecode, version: '2', form: 'eip2612', call: 1 },
  {
    of: 'USDC, of a contract',
    bytecode: UsdcLikeToken.bytecode,
    version: '2',
    form: 'eip2612',
    call: 1,
    isContract: true,
  },
  {
    of: 'OpenZeppelin’s ERC20Permit',
    bytecode: PermitToken.bytecode,
    version: '1',
    form: 'eip2612',
    call: 0,
  },
  { of: 'DAI', bytecode: DaiLikeToken.bytecode, version: '1', form: 'dai', call: 0 },
]

async function measure({ of, bytecode, version, form, call, isContract = false }: Case): Promise<string[]> {
  const address = await deploy(encodeDeployData({ abi: TestToken.abi, bytecode, args: [NAME, 'SIGN', 6] }))
  const owner = isContract ? await deploy(encodeDeployData({ ...SmartAccount, args: [stranger, bob] })) : bob
  await client.impersonateAccount({ address: owner })
  await client.setBalance({ address: owner, value: 10n ** 18n })
  const domain = { name: NAME, version, chainId, verifyingContract: address }
  const value = form === 'dai' ? maxUint256 : AMOUNT
  const approve = (from: Address, amount: bigint) => {
    const { data } = callOf(from, { address, abi: TestToken.abi }, 'approve', [spender, amount])
    return gasOf(from, address, data)
  }
  const carry = async (nonce: bigint) => {
    const permit = { owner, spender, value, deadline }
    const { digest } = permitTypedData({ form, domain, nonce }, permit)
    const signature = await signerOf(4).sign({ hash: digest })
    const data = permitCalls({ form, nonce }, permit, signature)[call]
    if (data === undefined) throw new Error(`${of}: there is no such call`)
    return gasOf(keeper, address, data)
  }
  const approved = await approve(alice, value)
  const carried = await carry(0n)
  for (const payer of [alice, owner]) await approve(payer, LEFT)
  const [approvedAgain, carriedAgain] = [await approve(alice, value), await carry(1n)]
  return [of, ...beside(carried, approved), ...beside(carriedAgain, approvedAgain)]
}

function beside(carried: bigint, approved: bigint): string[] {
  const ratio = `${(Number(carried) / Number(approved)).toFixed(2)} ×`
  return [carried.toLocaleString('en'), approved.toLocaleString('en'), ratio]
}

try {
  const rows: string[][] = []
  for (const one of CASES) rows.push(await measure(one))
  const heads = [
    'token',
    'permit, first',
    'approve, first',
    'ratio',
    'permit, again',
    'approve, again',
    'ratio',
  ]
  process.stdout.write(`${table(heads, rows)}\n`)
} finally {
  await stop()
}
