import { type Asked, Load } from './load.ts'
import { quantile } from './print.ts'
import { Server } from './server.ts'

// How long an answer takes while a server has half of what it can do. A host that takes a core away for ten milliseconds adds
// them to a hundred answers, and more until the server has caught up. Such rounds say nothing about the server. A witness
// tells them: a bare server on the same core, which is asked at the same time. Neighbours of a core make it slower, too,
// without taking it away: so the highest load is what the server could do just before.

const SHARE_OF_HIGHEST = 0.5
const HIGHEST_OF = 3
const REQUESTS = 1_500
const ROUND_MS = 800

const WITNESS = { path: '/', body: '{}', etag: '"1"', headers: {} }
/** Its questions are as far apart as it may be late: a core that is away for twice as long is always noticed. */
const WITNESS_LATE_MS = 5
const WITNESS_PER_SECOND = 1_000 / WITNESS_LATE_MS

/** One round of one server. */
export interface SteadyRound {
  /** Times of the median answer, the 95th and the 99th of a hundred, in milliseconds. */
  readonly quantiles: readonly number[]
  /** Whether the cores were there all the time. */
  readonly isQuiet: boolean
}

/** Servers at half of their highest load, on the core of a witness. */
export class HalfLoad {
  readonly #witness: Server

  private constructor(witness: Server) {
    this.#witness = witness
  }

  /** @param core of the servers that are asked */
  static async start(core: number): Promise<HalfLoad> {
    return new HalfLoad(await Server.start({ kind: 'node', environment: {}, routes: [WITNESS] }, core))
  }

  async round(server: Server, asked: Asked, connections?: number): Promise<SteadyRound> {
    const [load, witness] = await Promise.all([
      Load.open(server.port, connections),
      Load.open(this.#witness.port, 1),
    ])
    let highest = 0
    for (let run = 0; run < HIGHEST_OF; run += 1) {
      highest = Math.max(highest, await load.asFastAsPossible(asked, REQUESTS))
    }
    const [times, seen] = await Promise.all([
      load.atRate(asked, highest * SHARE_OF_HIGHEST, ROUND_MS),
      witness.atRate({ path: WITNESS.path, headers: {}, status: 200 }, WITNESS_PER_SECOND, ROUND_MS),
    ])
    load.close()
    witness.close()
    return {
      quantiles: [0.5, 0.95, 0.99].map((share) => quantile(times, share)),
      isQuiet: Math.max(...seen) <= WITNESS_LATE_MS,
    }
  }

  stop(): void {
    this.#witness.stop()
  }
}
