/** Random numbers that are the same for the same seed. */
export interface Random {
  /** A whole number from 0 up to, and without, `below`. */
  below(below: number): number
  /** True once in so many times. */
  oneIn(times: number): boolean
  pick<Element>(from: readonly Element[]): Element
  /** One of the keys, each as often as its weight says. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key
}

/** mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  function pick<Element>(from: readonly Element[]): Element {
    const element = from[below(from.length)]
    if (element === undefined) throw new Error('There is nothing to pick from')
    return element
  }
  function weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const urn: Key[] = []
    for (const key in weights) for (let left = weights[key]; left > 0; left -= 1) urn.push(key)
    return pick(urn)
  }
  return { below, oneIn: (times) => below(times) === 0, pick, weighted }
}
