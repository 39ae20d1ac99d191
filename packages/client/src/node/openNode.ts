import type { StartWatch } from '../events/Watch.ts'
import type { Attempt, CallerOptions, Surroundings } from '../request/createCaller.ts'
import type { ContractOptions } from '../sending/check/findContract.ts'
import type { NodeChainsOptions } from './NodeChains.ts'
import { nodeAttempt } from './nodeAttempt.ts'
import { askableNode, type NodeOptions } from './OwnNode.ts'

/** How one's own node is asked. */
export interface OpenNode {
  /** One try of a call. @param atService one try at a service, for what no node can answer and for what an index knows more of */
  attempt(atService: Attempt | undefined): Attempt
  readonly watch: StartWatch
}

/** Opens one's own node for a client. The engine that answers is loaded with the first call or watch. Throws TypeError for what is no node. */
export function openNode(
  options: NodeOptions & Pick<ContractOptions, 'contracts'> & CallerOptions & NodeChainsOptions,
  surroundings: Surroundings,
): OpenNode {
  const node = askableNode(options.node)
  const opened = once(async () => {
    const [engine, { NodeChains }] = await Promise.all([
      withoutEval(() => import('./engine.ts')),
      import('./NodeChains.ts'),
    ])
    return new NodeChains(engine, node, options, surroundings)
  })
  return {
    attempt: (atService) => nodeAttempt(opened, options, atService),
    async *watch(subject, how) {
      yield* (await opened()).changes(subject, how)
    },
  }
}

/**
 * Loads the engine so that its schemas (zod) do not compile code out of texts, which a page's policy may forbid. zod reads this global
 * setting when it is loaded; afterwards that of the page's own zod is put back.
 */
async function withoutEval<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  if (typeof document === 'undefined') return load()
  const name = '__zod_globalConfig'
  const own: unknown = Reflect.get(globalThis, name)
  Reflect.set(globalThis, name, { jitless: true })
  try {
    return await load()
  } finally {
    Reflect.set(globalThis, name, own)
  }
}

/** Makes something when it is first wanted, once; again only where that failed. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
