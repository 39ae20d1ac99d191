import type { Forecaster } from '@remit/engine/ports/forecasts'
import type { Surroundings } from '@remit/service/processes/service'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import type { AnswerExample, Examples } from '@remit/service/testing/surfaces/openapi/examples'
import * as z from 'zod'
import { json } from '../support/app/smallApp.ts'
import { Receiver } from '../support/webhooks/Receiver.ts'
import { isReadiness, recordAnswers, recordUnready } from './answers.ts'
import { recordCommonErrors } from './commonErrors.ts'
import { startExampleChain } from './exampleChain.ts'
import { leaveRescue } from './exampleRescues.ts'
import { ADMIN_SECRET, type ExampleService, startExampleService } from './exampleService.ts'
import { makeWebhooks, recordNotices, SENDING } from './exampleWebhooks.ts'
import { startLesserNode } from './failingNode.ts'
import { losePages } from './losePages.ts'
import { type Ground, OwnErrors } from './ownErrors.ts'
import { recordEvents } from './recordEvents.ts'
import { SampleInput } from './sampleInput.ts'
import { seen } from './seen.ts'
import { steadyHeader } from './steady.ts'

/**
 * Records what the service really answers to each operation, and its errors: over a dev chain whose time is fixed,
 * so that each recording is the same.
 *
 * Throws, naming them, where an operation or an error of its own has no example.
 */
export async function recordExamples(all: readonly Operation[]): Promise<Examples> {
  const operations = all.filter(({ rest }) => rest !== null)
  const chain = await startExampleChain()
  const receiver = await new Receiver().start()
  const running: ExampleService[] = []
  const without = await startLesserNode(chain.url, ['eth_simulateV1'])
  const unprovenNode = await startLesserNode(chain.url)
  const start = async (environment: Record<string, string>, surroundings: Surroundings = {}) => {
    const service = await startExampleService(chain, environment, surroundings)
    running.push(service)
    return service
  }
  try {
    const services = {
      service: await start(SENDING),
      unindexed: await start({ [`INDEX_${chain.chainId}`]: 'off', RESCUES: 'off' }),
      // Nobody listens there.
      unreached: await start({ [`RPC_URL_${chain.chainId}`]: 'http://127.0.0.1:9' }),
      unsimulated: await start({
        [`RPC_URL_${chain.chainId}`]: without.url,
        [`INDEX_${chain.chainId}`]: 'off',
      }),
      unforeseen: await start({}, { forecaster: () => NO_FORECASTS }),
      unproven: await start({ [`RPC_URL_${chain.chainId}`]: unprovenNode.url }),
    }
    return await recordOver({ chain, unprovenNode, ...services }, receiver, operations)
  } finally {
    await Promise.all(running.map((service) => service.close()))
    without.close()
    unprovenNode.close()
    await receiver.close()
    await chain.stop()
  }
}

const NO_FORECASTS: Forecaster = { make: () => Promise.reject(new Error('nothing can be simulated')) }

async function recordOver(
  from: Omit<Ground, 'sample' | 'cursors'>,
  receiver: Receiver,
  operations: readonly Operation[],
): Promise<Examples> {
  const { chain, service } = from
  const [apiKey, looked] = [await makeKey(service), await makeKey(service)]
  await seen(service, chain)
  await seen(from.unproven, chain)
  const rescue = await leaveRescue(service, receiver, chain)
  const webhooks = await makeWebhooks(service, receiver, chain)
  const sample = new SampleInput(chain, looked.id, webhooks, rescue.id)
  const notices = { ...(await recordNotices(service, receiver, chain)), 'rescue.offered': rescue.told }
  const ground = { ...from, sample, cursors: new Map<Operation, string>() }

  const answers = new Map<Operation, AnswerExample[]>()
  for (const operation of operations) {
    answers.set(operation, await recordAnswers(service, operation, { sample, apiKey: apiKey.token }))
  }
  const headers = await recordHeaders(service)
  const errors = await recordCommonErrors(chain, service)

  const ownErrors = new OwnErrors()
  const unready = new Map<Operation, AnswerExample>()
  const lookAgain = async () => {
    for (const operation of operations.filter(isReadiness)) {
      const example = unready.get(operation) ?? (await recordUnready(service, operation, sample))
      if (example !== undefined) unready.set(operation, example)
    }
    await ownErrors.record(ground, operations)
  }
  await lookAgain()
  // Nothing is due any more.
  await chain.workOffBacklog()
  await seen(service, chain)
  await lookAgain()
  ground.cursors = await losePages(ground, operations)
  await lookAgain()

  // As the operations declare them, whenever they came.
  const types = operations.flatMap(({ posts = {} }) => Object.keys(posts))
  const inOrder = Object.fromEntries(
    Object.entries(notices).toSorted(([one], [other]) => types.indexOf(one) - types.indexOf(other)),
  )
  const missing = operations.flatMap((operation) => [
    ...ownErrors.missing(operation).map(({ code }) => `${operation.name}: ${code}`),
    ...(isReadiness(operation) && !unready.has(operation) ? [`${operation.name}: not ready`] : []),
  ])
  if (missing.length > 0) throw new Error(`These never came about while recording: ${missing.join(', ')}`)
  return {
    operations: Object.fromEntries(
      operations.map((operation) => [
        operation.name,
        {
          answers: [...(answers.get(operation) ?? []), ...[unready.get(operation) ?? []].flat()],
          errors: ownErrors.of(operation),
        },
      ]),
    ),
    errors,
    headers,
    events: { ...(await recordEvents()), ...inOrder },
  }
}

const MadeKey = z.object({ id: z.string(), token: z.string() })

/** A developer key of nobody's in the examples. */
async function makeKey(service: ExampleService): Promise<z.output<typeof MadeKey>> {
  const { body } = await service.fetch(
    '/developer/keys',
    json({ subjectId: 'examples' }, { 'X-Service-Admin-Key': ADMIN_SECRET }),
  )
  return MadeKey.parse(body)
}

/** Headers as they came with real answers, by their names. */
async function recordHeaders({ fetch }: ExampleService): Promise<Record<string, string>> {
  const answered = await fetch('/approved-tokens')
  const address = { 'X-Forwarded-For': '2001:db8:3::1' }
  const searches = Array.from({ length: 4 }, () => fetch('/subscriptions', { headers: address }))
  const limited = (await Promise.all(searches)).find(({ status }) => status === 429)
  const refused = await fetch('/catalog', { headers: { Authorization: 'Bearer svc_revoked' } })
  const names = [
    [answered, 'X-Request-Id', 'X-Service-Lane', 'ETag', 'Cache-Control', 'RateLimit-Policy', 'RateLimit'],
    [limited, 'Retry-After'],
    [refused, 'WWW-Authenticate'],
  ] as const
  return Object.fromEntries(
    names.flatMap(([from, ...headers]) =>
      headers.map((name) => {
        const value = from?.headers.get(name)
        if (value === null || value === undefined) throw new Error(`No answer came with ${name}`)
        return [name, steadyHeader(name, value)]
      }),
    ),
  )
}
