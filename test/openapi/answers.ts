import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import type { AnswerExample } from '@remit/service/testing/surfaces/openapi/examples'
import type { ExampleService, Exchange } from './exampleService.ts'
import type { Input, SampleInput } from './sampleInput.ts'
import { steady, steadyRequest } from './steady.ts'

interface Variant {
  readonly name: string
  readonly summary: string
  readonly input: Input
  readonly headers?: Record<string, string>
}

/**
 * What an operation answers to its sample, and to what is worth showing beside it. Which that is follows from the
 * operation's fields.
 * @param apiKey of a developer, for what only developers may ask
 */
export async function recordAnswers(
  service: ExampleService,
  operation: Operation,
  { sample, apiKey }: { sample: SampleInput; apiKey: string },
): Promise<AnswerExample[]> {
  const examples: AnswerExample[] = []
  for (const { name, summary, input, headers } of variantsOf(operation, sample, apiKey)) {
    const exchange = await service.call(operation, input, headers)
    const { status, body } = exchange
    if (status !== (operation.rest?.status ?? 200)) {
      throw new Error(
        `${operation.name}: its example "${name}" is answered ${status}: ${body.error}. ` +
          'Mend its input in test/openapi/sampleInput.ts.',
      )
    }
    examples.push({ name, summary, ...steadyExchange(exchange) })
  }
  return examples
}

function variantsOf(operation: Operation, sample: SampleInput, apiKey: string): Variant[] {
  const input = sample.of(operation)
  const { shape } = operation.input
  const variants: Variant[] = [{ name: 'recorded', summary: operation.summary, input }]
  if ('readinessOnly' in shape) {
    variants.push({
      name: 'readinessOnly',
      summary: 'With readinessOnly: whether it can be done, and no transactions',
      input: { ...input, readinessOnly: true },
    })
  }
  if ('includeDetails' in shape) {
    variants.push({
      name: 'includeDetails',
      summary: 'With includeDetails, which takes an API key',
      input: { ...input, includeDetails: true },
      headers: { Authorization: `Bearer ${apiKey}` },
    })
  }
  return variants
}

/** A readiness with what stands against it, or `undefined` where nothing does at present. */
export async function recordUnready(
  service: ExampleService,
  operation: Operation,
  sample: SampleInput,
): Promise<AnswerExample | undefined> {
  const exchange = await service.call(operation, sample.refused(operation))
  if (exchange.status !== 200 || exchange.body.ready !== false) return undefined
  return { name: 'notReady', summary: 'Where something stands against it', ...steadyExchange(exchange) }
}

/** Whether an operation answers with a readiness and nothing else. */
export function isReadiness({ answer }: Operation): boolean {
  const { ready, issues } = answer.shape
  return [ready, issues].every((field) => field !== undefined && !field.safeParse(undefined).success)
}

function steadyExchange({ request, status, body }: Exchange) {
  return { request: steadyRequest(request), status, body: steady(body) }
}
