import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Metrics } from '@remit/service/testing/metrics/Metrics'
import { observedDeliveries } from '@remit/service/testing/metrics/observedDeliveries'
import { addChainGauges, addServerGauges } from '@remit/service/testing/metrics/stateGauges'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { findProgram } from '../support/programs/installed.ts'

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))
const PROMTOOL = findProgram('promtool')

const Rules = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
})
const Tests = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })),
    }),
  ),
})

const read = (file: string): unknown => parse(readFileSync(`${deploy}${file}`, 'utf8'))
const rules = Rules.parse(read('alerts.yml')).groups.flatMap((group) => group.rules)

/** What all processes show together. */
async function shown(): Promise<Set<string>> {
  const { registry } = new Metrics('1.2.3')
  const nothing = {
    chains: () => [],
    nodeLimits: () => [],
    index: () => null,
    sweep: () => null,
    lookups: () => null,
  }
  addChainGauges(registry, nothing)
  const connections = () => ({ open: 0, evicted: 0, refused: 0 })
  addServerGauges(registry, {
    connections,
    streams: () => 0,
    draining: () => false,
    limiterFullness: () => undefined,
  })
  observedDeliveries(registry, () => ({ health: () => null, standing: () => null }))
  return new Set((await registry.getMetricsAsJSON()).map(({ name }) => name))
}

describe('deploy/alerts.yml', () => {
  it('asks for metrics that the processes show', async () => {
    const known = await shown()
    const named = rules.flatMap(({ expr }) => expr.match(/\b(remit|nodejs|process)_\w+/g) ?? [])
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })

  it('has a case in which each rule fires, and one in which it does not', () => {
    const cases = Tests.parse(read('alerts.test.yml')).tests.flatMap((one) => one.alert_rule_test)
    for (const { alert } of rules) {
      const fires = cases
        .filter(({ alertname }) => alertname === alert)
        .map((one) => one.exp_alerts.length > 0)
      expect([alert, new Set(fires)]).toEqual([alert, new Set([false, true])])
    }
  })

  it.skipIf(PROMTOOL === undefined)('is what promtool takes, and fires as its cases say', () => {
    const promtool = (...args: string[]) =>
      execFileSync(PROMTOOL ?? '', args, { cwd: deploy, encoding: 'utf8' })
    expect(promtool('check', 'rules', 'alerts.yml')).toContain(`SUCCESS: ${rules.length} rules found`)
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
  })
})
