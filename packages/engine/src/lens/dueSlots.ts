import { dueDayOn } from '@remit/protocol/calendar'
import { FREQUENCIES, type Frequency } from '@remit/protocol/subscription'
import { concatHex, type Hex, numberToHex } from 'viem'

/** One of the contract's due lists, and the last day up to today on which remit looks at it. */
export interface DueSlot {
  readonly frequency: Frequency
  readonly dueDay: number
  readonly lastDay: number
}

/** Every due day comes again within so many days. */
const LONGEST_ROUND = 366

/**
 * Every due list there is, 490 in all, each with its last day up to today.
 *
 * A list is still to be charged exactly if its last day has not been checked yet, however long the backlog is. So
 * the reader need not know the next unchecked day, and reads no list twice.
 */
export function dueSlots(today: number): DueSlot[] {
  const slots = new Map<string, DueSlot>()
  for (let day = today; day >= Math.max(0, today - LONGEST_ROUND); day -= 1) {
    for (const frequency of FREQUENCIES) {
      const due = dueDayOn(day, frequency)
      if (due.skipped) continue
      const key = `${frequency}:${due.dueDay}`
      if (!slots.has(key)) slots.set(key, { frequency, dueDay: due.dueDay, lastDay: day })
    }
  }
  return [...slots.values()]
}

/** Packs due lists as the lens takes them, each as frequency (1 byte), due day (2 bytes) and last day (5 bytes). */
export function packSlots(slots: readonly DueSlot[]): Hex {
  return concatHex(
    slots.flatMap(({ frequency, dueDay, lastDay }) => [
      numberToHex(frequency, { size: 1 }),
      numberToHex(dueDay, { size: 2 }),
      numberToHex(lastDay, { size: 5 }),
    ]),
  )
}
