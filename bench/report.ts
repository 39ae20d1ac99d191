import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bars, barChart } from './chart.ts'
import { HTTP_HEADINGS, httpNote, httpRow, type Measured, measureHttp } from './http.ts'
import { machine, median, table } from './print.ts'
import { measureProcesses, type Shared } from './processes.ts'

// `npm run bench`: Remit beside a bare server, and several processes of it, in one report with charts. Takes some minutes of two cores,
// and says something only where nothing else runs. `npm run bench -- 0.1` makes a tenth of the runs, to see that it works.

const REPORT = join(import.meta.dirname, 'report.md')
const CHARTS = join(import.meta.dirname, 'charts')
const SHARE = Number(process.argv[2] ?? 1)
const ROUNDS = Math.ceil(8 * SHARE)

const begun = performance.now()
const tell = (line: string) => process.stderr.write(`${line}\n`)
mkdirSync(CHARTS, { recursive: true })

/** Writes a chart and returns the line of Markdown that shows it. */
function chart(name: string, title: string, groups: readonly Bars[]): string {
  writeFileSync(join(CHARTS, `${name}.svg`), barChart(title, groups))
  return `![${title}](charts/${name}.svg)`
}

function httpSection(measured: readonly Measured[], lengths: readonly number[]): string[] {
  const groups = [...new Set(measured.map(({ asked }) => asked))].map((asked) => ({
    group: asked,
    bars: measured
      .filter((one) => one.asked === asked)
      .map(({ server, shares }) => ({
        label: server,
        value: median(shares),
        shown: `${median(shares).toFixed(0)} %`,
      })),
  }))
  return [
    '## Beside a bare server',
    '',
    'The service with limits in memory (`service`) and in Redis (`redis`), beside a route of the same framework (`hono`)',
    'and Node’s own server (`node`) that send the same bytes: status, headers and body. Another bare route sends the body',
    `and its ETag alone. Each has one core. ${httpNote(ROUNDS, lengths)}`,
    '',
    chart(
      'bare',
      'Requests a second, in percent of a bare route of the same framework that sends the same bytes',
      groups,
    ),
    '',
    table(HTTP_HEADINGS, measured.map(httpRow)),
  ]
}

function processesSection(shared: readonly Shared[] | undefined): string[] {
  const heading = ['## Several processes', '']
  if (shared === undefined) return [...heading, 'Not measured: Postgres or Redis is not installed.']
  const alone = (asked: string) =>
    shared.find((one) => one.asked === asked && one.processes === 1)?.perSecond ?? Number.NaN
  const groups = [...new Set(shared.map(({ asked }) => asked))].map((asked) => ({
    group: asked,
    bars: shared
      .filter((one) => one.asked === asked)
      .map(({ processes, perSecond }) => ({
        label: `${processes} ${processes === 1 ? 'process' : 'processes'}`,
        value: perSecond / alone(asked),
        shown: `× ${(perSecond / alone(asked)).toFixed(2)}`,
      })),
  }))
  const rows = shared.map((one) => [
    one.asked,
    String(one.processes),
    `× ${(one.perSecond / alone(one.asked)).toFixed(2)}`,
    one.perSecond.toFixed(0),
    one.ownMicros.toFixed(0),
    one.redisMicros.toFixed(0),
    one.redisCommands.toFixed(2),
    one.transactions.toFixed(2),
  ])
  return [
    ...heading,
    'Over one Postgres and one Redis, all asked at once. A request takes this much of what they share, and the rest of its',
    'time is a core: the client, the node, Postgres and Redis are on the same machine. Processes beyond the cores add nothing.',
    '',
    chart('processes', 'Requests a second of several processes, beside one', groups),
    '',
    table(
      [
        'asked',
        'processes',
        'beside one',
        'requests/s',
        'own processor, µs',
        'Redis, µs',
        'Redis commands',
        'Postgres transactions',
      ],
      rows,
    ),
  ]
}

const processes = await measureProcesses(SHARE, ({ asked, processes: count, perSecond }) =>
  tell(`${asked}, ${count} processes: ${perSecond.toFixed(0)}/s`),
)
// Last, because it keeps this process on one core.
const { measured, lengths } = await measureHttp(ROUNDS, SHARE, tell)

const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
writeFileSync(
  REPORT,
  [
    '# Remit, measured beside a bare server',
    '',
    `By \`npm run bench\`, on ${machine()} It took ${minutes} minutes.`,
    '',
    ...httpSection(measured, lengths),
    '',
    ...processesSection(processes),
    '',
  ].join('\n'),
)
tell(`${REPORT} is written.`)
