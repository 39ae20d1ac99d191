import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readLife, replayLife } from './replay.ts'
import type { Life } from './testing/life.ts'

const folder = fileURLToPath(new URL('../../test/recorded/', import.meta.url))
const files = readdirSync(folder).filter((file) => /^life-.*\.json$/.test(file))

it.each(files)(
  'the reference contract does what the deployed protocol did in %s: every outcome, revert reason, log, view and balance',
  { timeout: 120_000 },
  async (file) => {
    expect(await replayLife(readLife(`${folder}${file}`))).toEqual([])
  },
)

describe('the replay', () => {
  const life = readLife(`${folder}life-1.json`)
  const firstSteps = (change: (life: Life) => void): Life => {
    const short = structuredClone({ ...life, steps: life.steps.slice(0, 50) })
    change(short)
    return short
  }
  const paidStep = life.steps.findIndex(({ call, status }) => call === 'subscribe' && status === 'ok')

  it('names a log that differs, and where', async () => {
    const changed = firstSteps(({ steps }) => {
      const step = steps[paidStep]
      const log = step?.status === 'ok' ? step.logs[1] : undefined
      if (log) log.args.amount = '1'
    })
    expect(await replayLife(changed)).toMatchObject([
      {
        where: expect.stringMatching(`^step ${paidStep}: subscribe .*logs\\.1\\.args\\.amount$`),
        recorded: '1',
      },
    ])
  })

  it('names an outcome that differs', async () => {
    const changed = firstSteps(({ steps }) => {
      const step = steps[49]
      if (step)
        steps[49] = {
          at: step.at,
          from: 'caller',
          in: 'contract',
          call: 'remit',
          args: [],
          status: 'revert',
          reason: '19',
        }
    })
    const differences = await replayLife(changed)
    expect(differences[0]).toMatchObject({ recorded: 'reverts 19' })
  })

  it('names a view and a balance that differ', async () => {
    const changed = firstSteps(({ snapshots }) => {
      const snapshot = snapshots[49]
      if (!snapshot) throw new Error('The recording has no snapshot where one was.')
      snapshot.totalSubscribers = '99'
      snapshot.balances.token6 = { payer1: '5' }
    })
    const differences = await replayLife(changed)
    expect(differences.map(({ where }) => where)).toEqual([
      'snapshot 49.totalSubscribers',
      'snapshot 49.balances.token6.payer1',
    ])
  })
})
