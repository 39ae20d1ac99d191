import type { ServicePort, Trouble } from '../ports/service.ts'

/** All that is wrong with the service now, as its parts know it from memory: `/status` shows it, `Incidents` remembers it. */
export function troublesOf({
  chains,
  indexes,
  webhooks,
}: Pick<ServicePort, 'chains' | 'indexes' | 'webhooks'>): Trouble[] {
  const ofChains = chains.health().flatMap(({ chainId, rpc, misconfigured }) => {
    const index = indexes.health(chainId)
    const indexAlarm =
      index?.alarm ?? (index?.ok === false ? 'The index cannot be read, or is not kept up to date.' : null)
    return [
      troubleOf('configuration', chainId, misconfigured),
      troubleOf('node', chainId, rpc.ok ? null : 'No node of the chain answers.'),
      troubleOf('head', chainId, rpc.alarm),
      troubleOf('index', chainId, indexAlarm),
    ].flat()
  })
  return [...ofChains, ...troubleOf('webhooks', null, webhooks()?.alarm ?? null)]
}

function troubleOf(part: Trouble['part'], chainId: number | null, message: string | null): Trouble[] {
  return message === null ? [] : [{ part, chainId, message }]
}
