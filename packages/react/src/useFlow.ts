'use client'
import type {
  Client,
  Flow,
  Flows,
  Progress,
  SendOptions,
  SendPreparedOptions,
  Sent,
  Wallet,
} from '@remit/client'
import {
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useConfig } from 'wagmi'
import { getConnectorClient } from 'wagmi/actions'
import { remitKey } from './queryOptions.ts'
import { useRemitClient } from './RemitProvider.ts'

/**
 * How far a flow is, in this order. `idle`: nothing was asked for. `preparing`: the transactions are being prepared. `checked`: they were
 * checked to be what was asked for. `signing`: the wallet is asked to sign. `sent`: it has sent. `mined`: that is in a block. `done`, or
 * `failed`. Where the wallet signs twice, `signing`, `sent` and `mined` come twice: `progress` says which signature it is, by `step`
 * and `of`.
 */
export type FlowPhase = 'idle' | 'preparing' | 'checked' | 'signing' | 'sent' | 'mined' | 'done' | 'failed'

/** The flows of the client, by their names. `assertWithinBudget` beside them only checks: it sends nothing. */
export type FlowName = Exclude<keyof Flows, 'assertWithinBudget'>

/** What a flow takes. */
export type FlowRequest<Name extends FlowName> = {
  [Each in FlowName]: NonNullable<Parameters<Client[Each]>[0]>
}[Name]

/** What a flow's `prepare` answers. */
export type FlowPrepared<Name extends FlowName> = {
  [Each in FlowName]: Awaited<ReturnType<ReturnType<Client[Each]>['prepare']>>
}[Name]

/** What comes of a flow. */
export type FlowOutcome<Name extends FlowName> = {
  [Each in FlowName]: Awaited<ReturnType<ReturnType<Client[Each]>['send']>>
}[Name]

/** What is asked for, by the fields of the flow's request. */
export type FlowVariables<Name extends FlowName> = FlowRequest<Name> & {
  /** What `prepare` has answered for the same request: exactly this is signed, or nothing. */
  readonly prepared?: FlowPrepared<Name> | undefined
  /**
   * What an earlier run has sent last, such as before the page was loaded again. It is waited for; where it was only an
   * approval, the rest is sent.
   */
  readonly resume?: Sent | undefined
}

/** How to send, and what `useMutation` takes. */
export interface FlowParameters<Name extends FlowName> extends Omit<SendOptions, 'signal'> {
  readonly mutation?:
    | Omit<
        UseMutationOptions<FlowOutcome<Name>, Error, FlowVariables<Name>>,
        'mutationFn' | 'mutationKey' | 'retry' | 'retryDelay' | 'networkMode'
      >
    | undefined
}

/** TanStack's mutation, and how far it is. */
export type FlowResult<Name extends FlowName> = UseMutationResult<
  FlowOutcome<Name>,
  Error,
  FlowVariables<Name>
> & {
  readonly phase: FlowPhase
  /** The last thing that happened: which signature of how many, hashes, warnings, what is waited for. */
  readonly progress: Progress | undefined
  /** What has left the wallet so far. It is plain JSON: `resume` takes the last of it. */
  readonly sent: readonly Sent[]
  /** The unsigned transactions for the connected account, to be shown before they are signed. */
  readonly prepare: (request: FlowRequest<Name>) => Promise<FlowPrepared<Name>>
}

/**
 * A flow of the client as a mutation, signed by the wallet that wagmi has connected. It is never tried again by itself
 * and never put off until the browser is online: a signature is somebody's decision of now.
 */
export function useFlow<Name extends FlowName>(
  name: Name,
  { mutation: options, onProgress, ...sending }: FlowParameters<Name> = {},
): FlowResult<Name> {
  const flows: { [Each in FlowName]: (request: FlowRequest<Each>) => Begun<Each> } = useRemitClient()
  const config = useConfig()
  const queryClient = useQueryClient()
  const [heard, setHeard] = useState(NOTHING_HEARD)
  /** The number of the newest run: only that one is shown. */
  const runs = useRef(0)
  // The client itself makes sure that the wallet is on the right chain.
  const connected = () => getConnectorClient(config, { assertChainId: false })

  const mutation = useMutation<FlowOutcome<Name>, Error, FlowVariables<Name>>({
    ...options,
    mutationKey: [...remitKey, name],
    retry: false,
    networkMode: 'always',
    mutationFn({ prepared, resume, ...request }) {
      runs.current += 1
      const run = runs.current
      let now = NOTHING_HEARD
      setHeard(now)
      const how: SendOptions = {
        ...sending,
        onProgress(progress) {
          now = hear(now, progress)
          if (run === runs.current) setHeard(now)
          onProgress?.(progress)
        },
      }
      // Safe: what is not the request's was taken out.
      const flow = flows[name](request as unknown as FlowRequest<Name>)
      const started = connected().then((wallet) => {
        const send = () => flow.send(wallet, { ...how, prepared })
        if (resume === undefined) return send()
        return flow.follow(wallet, resume, how).then((outcome) => outcome ?? send())
      })
      return started.finally(() => {
        // What was sent may have changed everything, also where the rest has failed.
        if (resume === undefined && now.sent.length === 0) return
        void queryClient.invalidateQueries({ queryKey: remitKey })
      })
    },
  })

  return {
    ...mutation,
    phase: phaseOf(mutation.status, heard.phase),
    progress: heard.progress,
    sent: heard.sent,
    prepare: (request) => connected().then(({ account }) => flows[name](request).prepare(account.address)),
    reset() {
      // What still runs is not shown any more.
      runs.current += 1
      setHeard(NOTHING_HEARD)
      mutation.reset()
    },
  }
}

/**
 * What of a client's flow is used here, for a flow of any name. `follow` waits for what was sent before, and gives `undefined` where that
 * was only a part: then `send` sends the rest.
 */
type Begun<Name extends FlowName> = Pick<Flow<FlowPrepared<Name>, unknown, unknown>, 'prepare'> & {
  send(wallet: Wallet, options: SendPreparedOptions<FlowPrepared<Name>>): Promise<FlowOutcome<Name>>
  follow(wallet: Wallet, sent: Sent, options: SendOptions): Promise<FlowOutcome<Name> | undefined>
}

/** What the client has told of the run that is shown. */
interface Heard {
  readonly phase: FlowPhase
  readonly progress: Progress | undefined
  readonly sent: readonly Sent[]
}

/** The beginning of each run. Before a first one, `phaseOf` shows `idle` instead. */
const NOTHING_HEARD: Heard = { phase: 'preparing', progress: undefined, sent: [] }

/** What is heard after one more piece of progress. */
function hear({ phase, sent }: Heard, progress: Progress): Heard {
  const { kind } = progress
  return {
    phase: kind === 'prepared' || kind === 'waiting' ? phase : kind,
    progress,
    sent: kind === 'sent' ? [...sent, progress] : sent,
  }
}

function phaseOf(status: UseMutationResult['status'], pending: FlowPhase): FlowPhase {
  if (status === 'pending') return pending
  if (status === 'success') return 'done'
  return status === 'error' ? 'failed' : 'idle'
}
