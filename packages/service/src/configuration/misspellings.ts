import { type Environment, isUnset } from './reader.ts'
import { chainOf } from './variables/chain.ts'
import { VARIABLES } from './variables.ts'

/** Shorter names are too similar to other words: HOME and HOST. */
const LEAST_LENGTH = 6
/** How many letters a name must have for each mistake. */
const LETTERS_PER_MISTAKE = 6

const DECLARED = VARIABLES.map(({ name }) => ({ name, stem: stemOf(name) }))
const NAMES = new Set(DECLARED.map(({ name }) => name))

/**
 * Warns of every unknown variable whose name is similar to a known one. Otherwise nobody would notice that it has no
 * effect. Values are not repeated.
 */
export function misspellings(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (isUnset(value) || NAMES.has(name) || chainOf(name) !== undefined) return []
    const meant = meantBy(name)
    if (meant === undefined) return []
    return [`${name} is no variable of this service and changes nothing: was ${meant} meant?`]
  })
}

/** The declared name that was probably meant, if any. */
function meantBy(name: string): string | undefined {
  const stem = stemOf(name.toUpperCase())
  if (stem.length < LEAST_LENGTH) return undefined
  const ranked = DECLARED.map((declared) => ({ ...declared, mistakes: mistakesIn(stem, declared.stem) }))
  const nearest = ranked.sort((a, b) => a.mistakes - b.mistakes)[0]
  if (nearest === undefined || nearest.mistakes > stem.length / LETTERS_PER_MISTAKE) return undefined
  return nearest.name
}

function mistakesIn(stem: string, meant: string): number {
  // A chain's name where its id belongs, as in RPC_URL_BASE.
  if (meant.includes('_') && NAMES.has(`${meant}_<id>`) && stem.startsWith(`${meant}_`)) return 0
  return editDistance(stem, meant)
}

/** The name of a variable without the chain's id at its end. */
function stemOf(name: string): string {
  return name.replace(/_(<id>|\d{1,16})$/, '')
}

/**
 * How many letters must be inserted, removed, replaced or swapped with a neighbour to turn one text into the other. `rows` has that
 * number for every beginning of the one text and every beginning of the other.
 */
export function editDistance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= one.length; row += 1) {
    rows.push([row])
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(one.length, other.length)
}
