import type { Hex } from 'viem'

/** The plan that an address names; `undefined` where it names none. */
export function planIn(search: string): Hex | undefined {
  const plan = new URLSearchParams(search).get('plan') ?? ''
  return isId(plan) ? plan : undefined
}

function isId(text: string): text is Hex {
  return /^0x[0-9a-f]{64}$/i.test(text)
}
