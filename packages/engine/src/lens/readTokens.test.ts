import { Bytes32MetadataToken } from '@remit/contracts/Bytes32MetadataToken'
import { NamelessToken } from '@remit/contracts/NamelessToken'
import { TestToken } from '@remit/contracts/TestToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { encodeAbiParameters, encodeDeployData, type Hex, stringToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { TokenNotApprovedError, ViewFailedError } from '../errors/chain.ts'
import { tokenText } from './lensRows.ts'

const ground = await useReadingGround()
const { protocol, wallets, tokens, client } = ground
const { admin, provider, stranger } = wallets

describe('tokens', () => {
  it('are those of the candidates that are approved, each once', async () => {
    const candidates = [tokens.dai, tokens.usdc, tokens.dai, ground.contract, stranger]
    await ground.view(
      async ({ read }) => {
        const found = await read.tokens()
        expect(found.map(({ symbol }) => symbol)).toEqual(['DAI', 'USDC'])
        await expect(read.token(stranger)).rejects.toBeInstanceOf(TokenNotApprovedError)
      },
      { tokens: candidates },
    )
  })

  it('may have a name of 32 bytes, or none, but must have decimals', async () => {
    const old = await approvedToken(ground, Bytes32MetadataToken, { decimals: 8, enteredDecimals: 6 })
    await ground.view(async ({ read }) => {
      expect(await read.token(old)).toMatchObject({
        symbol: 'B32',
        name: 'Bytes32 Metadata',
        decimals: 6,
        ownDecimals: 8,
      })
    })
    const nameless = await ground.deploy(encodeDeployData({ ...NamelessToken }))
    await protocol.send(admin, 'addERC20Contract', [nameless, 1n, 6])
    await ground.view(async ({ read }) => {
      const error = await read.token(nameless).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'UPSTREAM_ERROR', facts: { view: 'decimals' } })
      await expect(read.createState(nameless, provider)).rejects.toBeInstanceOf(ViewFailedError)
    })
  })

  it.each([
    // PUSH2 0xffff, PUSH0, RETURN: 64 KB of zeros for every question, decimals() among them.
    ['returns 64 KB', '0x61ffff5ff3', { symbol: null, name: null, ownDecimals: 0 }],
    // Answers 18 to every question, in one word.
    ['answers everything with a number', '0x60125f5260205ff3', { symbol: null, name: null, ownDecimals: 18 }],
  ] as const)('that %s does no harm', async (_, bytecode, expected) => {
    const wild = await ground.deploy(encodeDeployData({ ...TestToken, args: ['', '', 6] }))
    await protocol.send(admin, 'addERC20Contract', [wild, 1n, 6])
    await client.setCode({ address: wild, bytecode })
    await ground.view(async ({ read }) => {
      expect(await read.token(wild)).toMatchObject({ decimals: 6, ...expected })
    })
  })

  it('that burn all their gas are named in the error', async () => {
    const wild = await ground.deploy(encodeDeployData({ ...TestToken, args: ['', '', 6] }))
    await protocol.send(admin, 'addERC20Contract', [wild, 1n, 6])
    // JUMPDEST, PUSH0, JUMP.
    await client.setCode({ address: wild, bytecode: '0x5b5f56' })
    await ground.view(async ({ read }) => {
      await expect(read.token(wild)).rejects.toMatchObject({ facts: { view: 'decimals' } })
    })
  })
})

/** What a token with this symbol returns, as it is in an answer of the lens. */
function returned(text: string): Hex {
  const answer = encodeAbiParameters([{ type: 'string' }], [text])
  return `0x${answer.slice(2, 2 + 512)}`
}

describe('a token’s text', () => {
  it.each([
    ['a string', returned('USD Coin'), 'USD Coin'],
    ['32 bytes', stringToHex('MKR', { size: 32 }), 'MKR'],
    ['32 bytes without a zero', stringToHex('x'.repeat(32)), 'x'.repeat(32)],
    ['other scripts', returned('柴犬 🐕'), '柴犬 🐕'],
    ['characters that reorder or break text', returned('U\u202eSDC\u0000\n'), 'USDC'],
    ['more than anyone reads', returned('y'.repeat(150)), `${'y'.repeat(99)}…`],
  ])('is read from %s', (_, answer, text) => {
    expect(tokenText(answer)).toBe(text)
  })

  it.each<[string, Hex]>([
    ['nothing', '0x'],
    ['an empty string', returned('')],
    ['zeros', `0x${'00'.repeat(32)}`],
    ['bytes that are no UTF-8', `0x${'ff'.repeat(32)}`],
    ['a string that was cut off', returned('z'.repeat(193))],
    ['a length beyond its end', `0x${'00'.repeat(31)}20${'00'.repeat(30)}ffff${'61'.repeat(32)}`],
    ['a huge offset', `0x${'ff'.repeat(64)}`],
    ['half a word', '0x6162'],
  ])('is null where it does not read as text: %s', (_, answer) => {
    expect(tokenText(answer)).toBeNull()
  })
})
