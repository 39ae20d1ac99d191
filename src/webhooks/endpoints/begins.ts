import * as z from 'zod'

/** Where an endpoint begins to hear of a chain: what is up to this place, or in blocks before this one, is the past. */
export interface Beginning {
  readonly sequence: number
  readonly leastBlock: number
}

const Begins = z.record(z.string(), z.tuple([z.int(), z.int()]))

/** By chain, as the column `begins` keeps it. */
export function writeBegins(begins: ReadonlyMap<number, Beginning>): string {
  const entries = [...begins].map(([chainId, { sequence, leastBlock }]) => [chainId, [sequence, leastBlock]])
  return JSON.stringify(Object.fromEntries(entries))
}

/** `undefined` for a chain that was not there yet at the creation. */
export function readBegins(text: string): (chainId: number) => Beginning | undefined {
  const begins = Begins.parse(JSON.parse(text))
  return (chainId) => {
    const found = begins[String(chainId)]
    return found && { sequence: found[0], leastBlock: found[1] }
  }
}
