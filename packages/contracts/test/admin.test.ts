import { contractAt } from '@remit/testing/support/chain/contractAt'
import { protocolOn, tupleOf } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { type Address, encodeDeployData, keccak256, toHex, zeroAddress, zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { Subscriptions } from '../generated/Subscriptions.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, stranger, keeper, janitor } = chain.wallets
const { usdc } = chain.tokens
const ADMIN_ROLE = zeroHash
const JANITOR_ROLE = keccak256(toHex('JANITOR_ROLE'))
const START = {
  id: zeroHash,
  subscriberIndex: 0n,
  subscriptionIndex: 0n,
  frequency: 0n,
  initialized: false,
} as const

describe('the constructor', () => {
  const deployWith = (changes: {
    callerFee?: bigint
    systemFee?: bigint
    admin?: Address
    janitor?: Address
  }) => {
    const terms = { callerFee: 10_200n, systemFee: 11_000n, admin, janitor, ...changes }
    const args = [terms.callerFee, terms.systemFee, 5n, 6n, false, terms.admin, terms.janitor] as const
    return chain.deploy(encodeDeployData({ ...Subscriptions, args }))
  }

  test('takes its terms, and begins two days before its own', async () => {
    const contract = contractAt(chain.client, await deployWith({}), Subscriptions.abi)
    const today = Math.floor((await chain.now()) / 86_400)
    expect(await contract.read('callerFee', [])).toBe(10_200n)
    expect(await contract.read('systemFee', [])).toBe(11_000n)
    expect(await contract.read('maxRemits', [])).toBe(5n)
    expect(await contract.read('cancelLimit', [])).toBe(6n)
    expect(await contract.read('nextUncheckedDay', [])).toBe(today - 2)
    expect(await contract.read('defaultAdmin', [])).toBe(admin)
    expect(await contract.read('owner', [])).toBe(admin)
    expect(await contract.read('defaultAdminDelay', [])).toBe(86_400)
    expect(await contract.read('hasRole', [JANITOR_ROLE, janitor])).toBe(true)
    expect(await contract.read('getRoleAdmin', [JANITOR_ROLE])).toBe(ADMIN_ROLE)
  })

  test('takes no zero admin, and no fee out of range, but a zero janitor', async () => {
    for (const refused of [
      { admin: zeroAddress, callerFee: 0n },
      { callerFee: 9_999n },
      { callerFee: 10_834n },
      { systemFee: 9_999n },
      { systemFee: 20_000n },
    ]) {
      await expect(deployWith(refused), JSON.stringify(Object.keys(refused))).rejects.toThrow('reverted')
    }
    await deployWith({ janitor: zeroAddress })
  })
})

describe('every function of the admin', () => {
  const calls = [
    ['changeSysFeeReceiver', [alice]],
    ['systemFeeActivate', [true]],
    ['addERC20Contract', [alice, 0n, 18]],
    ['pauseToken', [usdc, true]],
    ['changeCallerFee', [10_000n]],
    ['changeSystemFee', [10_000n]],
    ['changeMaxRemits', [1n]],
    ['setCancelLimit', [1n]],
    ['setNextUncheckedDay', [1]],
    ['setPageStart', [START]],
  ] as const

  test.each(calls)('%s refuses anybody else with the error of AccessControl', async (name, args) => {
    for (const account of [stranger, janitor]) {
      expect(await protocol.reverts(account, name, args)).toBe(
        `AccessControlUnauthorizedAccount(${account},${ADMIN_ROLE})`,
      )
    }
    expect(await protocol.reverts(admin, name, args)).toBeUndefined()
  })
})

test.each([
  ['changeSysFeeReceiver', [zeroAddress]],
  ['addERC20Contract', [zeroAddress, 0n, 0]],
  ['pauseToken', [zeroAddress, true]],
  ['changeCallerFee', [0n]],
  ['changeSystemFee', [0n]],
] as const)('%s looks at the role before the arguments', async (name, args) => {
  expect(await protocol.reverts(janitor, name, args)).toContain('AccessControlUnauthorizedAccount')
})

test('changeSysFeeReceiver reverts without data for the zero address and for the present receiver, at first the admin', async () => {
  expect(await protocol.reverts(admin, 'changeSysFeeReceiver', [zeroAddress])).toBe('empty')
  expect(await protocol.reverts(admin, 'changeSysFeeReceiver', [admin])).toBe('empty')
  await protocol.send(admin, 'changeSysFeeReceiver', [alice])
  expect(await protocol.reverts(admin, 'changeSysFeeReceiver', [alice])).toBe('empty')
  expect(await protocol.reverts(admin, 'changeSysFeeReceiver', [admin])).toBeUndefined()
})

describe('addERC20Contract', () => {
  test('reverts without data for the zero address', async () => {
    expect(await protocol.reverts(admin, 'addERC20Contract', [zeroAddress, 0n, 18])).toBe('empty')
  })

  test('refuses a token that is approved already with "1", paused or not', async () => {
    expect(await protocol.reverts(admin, 'addERC20Contract', [usdc, 0n, 6])).toBe('1')
    await protocol.send(admin, 'pauseToken', [usdc, true])
    expect(await protocol.reverts(admin, 'addERC20Contract', [usdc, 0n, 6])).toBe('1')
  })

  test('records what it is told, decimals too, and logs nothing', async () => {
    expect(await protocol.send(admin, 'addERC20Contract', [alice, 7n, 33])).toEqual([])
    expect(await protocol.read('approvedERC20', [alice])).toEqual([alice, 33, false, 7n])
  })
})

describe('pauseToken', () => {
  const reverts = (token: Address, pause: boolean) => protocol.reverts(admin, 'pauseToken', [token, pause])

  test('reverts without data for a token that is not approved', async () => {
    expect(await reverts(alice, true)).toBe('empty')
  })

  test('reverts without data for resuming a token that is not paused', async () => {
    expect(await reverts(usdc, false)).toBe('empty')
  })

  test('pauses a paused token again, and resumes it', async () => {
    await protocol.send(admin, 'pauseToken', [usdc, true])
    await protocol.send(admin, 'pauseToken', [usdc, true])
    expect((await protocol.read('approvedERC20', [usdc]))[2]).toBe(true)
    await protocol.send(admin, 'pauseToken', [usdc, false])
    expect((await protocol.read('approvedERC20', [usdc]))[2]).toBe(false)
  })
})

test.each([
  ['changeCallerFee', 'callerFee', 10_833n],
  ['changeSystemFee', 'systemFee', 19_999n],
] as const)(
  'the fee setters: %s takes its range and reverts without data outside',
  async (setter, getter, most) => {
    for (const fee of [0n, 9_999n, most + 1n])
      expect(await protocol.reverts(admin, setter, [fee])).toBe('empty')
    for (const fee of [10_000n, most]) {
      await protocol.send(admin, setter, [fee])
      expect(await protocol.read(getter, [])).toBe(fee)
    }
  },
)

describe('the unchecked setters', () => {
  test('changeMaxRemits and setCancelLimit take anything', async () => {
    for (const limit of [0n, 2n ** 256n - 1n]) {
      await protocol.send(admin, 'changeMaxRemits', [limit])
      await protocol.send(admin, 'setCancelLimit', [limit])
      expect(await protocol.read('maxRemits', [])).toBe(limit)
      expect(await protocol.read('cancelLimit', [])).toBe(limit)
    }
  })

  test('setNextUncheckedDay goes back as well as forward', async () => {
    for (const day of [0, 1_000_000]) {
      await protocol.send(admin, 'setNextUncheckedDay', [day])
      expect(await protocol.read('nextUncheckedDay', [])).toBe(day)
    }
    expect(await protocol.reverts(keeper, 'remit', [])).toBe('6')
  })
})

describe('the roles', () => {
  test('pass from admin to admin in two steps, with a day between them', async () => {
    await protocol.send(admin, 'beginDefaultAdminTransfer', [alice])
    const [pending, schedule] = await protocol.read('pendingDefaultAdmin', [])
    expect(pending).toBe(alice)
    expect(schedule).toBe((await chain.now()) + 86_400)
    expect(await protocol.reverts(alice, 'acceptDefaultAdminTransfer', [])).toBe(
      `AccessControlEnforcedDefaultAdminDelay(${schedule})`,
    )
    await chain.advanceTo(schedule + 1)
    await protocol.send(alice, 'acceptDefaultAdminTransfer', [])
    expect(await protocol.read('owner', [])).toBe(alice)
    expect(await protocol.reverts(alice, 'changeCallerFee', [10_000n])).toBeUndefined()
  })

  test('let the admin appoint and dismiss janitors', async () => {
    await protocol.send(admin, 'grantRole', [JANITOR_ROLE, alice])
    expect(await protocol.reverts(alice, 'cleanUnsubscribeList', [tupleOf(zeroHash).id])).toBe('3')
    await protocol.send(admin, 'revokeRole', [JANITOR_ROLE, alice])
    expect(await protocol.reverts(alice, 'cleanUnsubscribeList', [zeroHash])).toContain('AccessControl')
  })

  test('do not give the admin role by grantRole', async () => {
    expect(await protocol.reverts(admin, 'grantRole', [ADMIN_ROLE, alice])).toBe(
      'AccessControlEnforcedDefaultAdminRules()',
    )
  })
})
