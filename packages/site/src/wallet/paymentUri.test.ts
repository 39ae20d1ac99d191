import decodeQR from 'qr/decode.js'
import { expect, it } from 'vitest'
import { drawQr } from '../design/values/drawQr.ts'
import { type PaymentRequest, paymentUri } from './paymentUri.ts'

const TOKEN = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const WALLET = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'

/** A payment as the grammar of ERC-681 reads it. Throws where it is none. */
function read(uri: string): PaymentRequest {
  const form =
    /^ethereum:(?<target>0x[0-9a-fA-F]{40})@(?<chainId>\d+)(?:\/transfer\?address=(?<to>0x[0-9a-fA-F]{40})&uint256=(?<raw>\d+)|\?value=(?<wei>\d+))$/
  const { target = '', chainId, to, raw, wei } = form.exec(uri)?.groups ?? {}
  if (to === undefined)
    return { chainId: Number(chainId), token: null, to: target, amountRaw: BigInt(wei ?? '') }
  return { chainId: Number(chainId), token: target, to, amountRaw: BigInt(raw ?? '') }
}

/** What a phone's camera makes of the code. */
function scan(text: string): string {
  const { size, path } = drawQr(text)
  const scale = 4
  const width = size * scale
  const data = new Uint8ClampedArray(width * width * 4).fill(255)
  for (const [, x = '', y = ''] of path.matchAll(/M(\d+) (\d+)h/g)) {
    for (let pixel = 0; pixel < scale * scale; pixel += 1) {
      const column = Number(x) * scale + (pixel % scale)
      const row = Number(y) * scale + Math.floor(pixel / scale)
      data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3)
    }
  }
  return decodeQR({ width, height: width, data })
}

it.each<PaymentRequest>([
  { chainId: 8453, token: TOKEN, to: WALLET, amountRaw: 7_857_142n },
  { chainId: 31337, token: TOKEN, to: WALLET, amountRaw: 1n },
  { chainId: 1, token: TOKEN, to: WALLET, amountRaw: 2n ** 256n - 1n },
  { chainId: 8453, token: null, to: WALLET, amountRaw: 21_000_000_000_000n },
])('a code is scanned as exactly the token, chain, wallet and amount that it was made of: %o', (payment) => {
  const uri = paymentUri(payment)
  expect(scan(uri)).toBe(uri)
  expect(read(uri)).toEqual(payment)
})

it('is written as the standard writes a payment in a token', () => {
  expect(paymentUri({ chainId: 8453, token: TOKEN, to: WALLET, amountRaw: 7_857_142n })).toBe(
    `ethereum:${TOKEN}@8453/transfer?address=${WALLET}&uint256=7857142`,
  )
})
