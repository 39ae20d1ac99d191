import type { Random } from '../differential/random.ts'

/** Another digit in one place behind the 0x. */
export function flipped(text: string, choose: Random): string {
  const begin = text.startsWith('0x') ? 2 : 0
  const place = begin + choose.below(text.length - begin)
  const digit = text.slice(place, place + 1)
  const other = '0123456789'.replace(digit.toLowerCase(), '')
  return text.slice(0, place) + choose.pick([...other]) + text.slice(place + 1)
}
