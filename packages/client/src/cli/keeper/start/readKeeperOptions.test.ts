import { expect, it } from 'vitest'
import { priceTexts, readPrices } from './readKeeperOptions.ts'

const USDC = { address: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512', symbol: 'USDC', decimals: 6 } as const
const DAI = { address: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0', symbol: 'DAI', decimals: 18 } as const
const FAKE = { address: '0x5FbDB2315678afecb367f032d93F642f64180aa3', symbol: 'usdc', decimals: 6 } as const

it('names a token by its address in any case, or by its symbol', () => {
  const prices = readPrices([`${USDC.address.toLowerCase()}=0.0004`, 'dai=1'], [USDC, DAI])
  expect(prices.get(USDC.address.toLowerCase())).toEqual({ digits: 4n, scale: 4 })
  expect(prices.get(DAI.address.toLowerCase())).toEqual({ digits: 1n, scale: 0 })
})

it('lets options go before the environment', () => {
  const texts = priceTexts(['USDC=2'], 'USDC=1, DAI=3,')
  expect(readPrices(texts, [USDC, DAI]).get(USDC.address.toLowerCase())).toEqual({ digits: 2n, scale: 0 })
})

it('refuses a symbol that several tokens have, and takes the address', () => {
  expect(() => readPrices(['USDC=1'], [USDC, FAKE])).toThrow('Several tokens call themselves USDC')
  expect(readPrices([`${FAKE.address}=1`], [USDC, FAKE]).size).toBe(1)
})

it.each(['USDC', 'USDC=', '=1', 'USDC=-1', 'USDC=1e-4', 'USDC=1=2', 'USDC=0,1'])('refuses %j', (text) => {
  expect(() => readPrices([text], [USDC])).toThrow('A price must be')
})
