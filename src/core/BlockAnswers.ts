import { LRUCache } from 'lru-cache'
import type { Answer } from './answer.ts'

/** The most that the answers of one kind and chain take, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024
/** What an answer takes in memory beside its JSON, as parts of the JSON's length, and at least. */
const TIMES_JSON = 4
const LEAST_BYTES = 1_000

interface Entry {
  readonly making: Promise<Answer>
  /** Known once it is made. */
  readonly made?: Answer
}

interface Moment {
  readonly name: string
  readonly answers: LRUCache<string, Entry>
}

/**
 * The answers that were made at the newest block, for as long as it is the newest: those of another moment are dropped.
 *
 * Equal questions at the same time share one answer. A failure is not kept, and the next caller tries again.
 */
export class BlockAnswers {
  readonly #moments = new Map<string, Moment>()
  readonly #mostBytes: number

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** The answer, if it is there already. */
  find(place: string, moment: string, question: string): Answer | undefined {
    const held = this.#moments.get(place)
    return held?.name === moment ? held.answers.get(question)?.made : undefined
  }

  /**
   * @param place a chain and a kind of answer: what moves on by itself
   * @param moment names all that answers of this place depend on, beside the question
   * @param make must not depend on its caller: others wait for it as well
   */
  get(place: string, moment: string, question: string, make: () => Promise<Answer>): Promise<Answer> {
    const answers = this.#at(place, moment)
    const known = answers.get(question)
    if (known !== undefined) return known.making
    const making = make().then(
      (made) => {
        // Its size is known only now. If it was dropped meanwhile, it stays dropped.
        const size = question.length + LEAST_BYTES + made.json().length * (1 + TIMES_JSON)
        if (answers.peek(question)?.making === making) answers.set(question, { making, made }, { size })
        return made
      },
      (error: unknown) => {
        if (answers.peek(question)?.making === making) answers.delete(question)
        throw error
      },
    )
    answers.set(question, { making }, { size: question.length + LEAST_BYTES })
    return making
  }

  #at(place: string, name: string): LRUCache<string, Entry> {
    const held = this.#moments.get(place)
    if (held?.name === name) return held.answers
    const answers = new LRUCache<string, Entry>({ maxSize: this.#mostBytes })
    this.#moments.set(place, { name, answers })
    return answers
  }
}
