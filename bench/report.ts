import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bars, barChart } from './chart.ts'
import { HTTP_HEADINGS, httpNote, httpRow, type Measured, measureHttp } from './http.ts'
import { BY_HAND, type Compared, compareWithOthers } from './others.ts'
import { machine, median, quantile, table } from './print.ts'
import { measureProcesses, type Shared } from './processes.ts'

// `npm run bench`: Remit beside what one would use in its place, in one report with charts. Takes some minutes of two cores,
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

/** A ratio as it reads: how many times as long as by hand. */
function ratios(compared: readonly Compared[]) {
  return compared.map((one) => {
    const byHand = compared.find(
      ({ fact, delayMs, way }) => fact === one.fact && delayMs === one.delayMs && way === BY_HAND,
    )
    return { ...one, ratio: median(one.times) / median(byHand?.times ?? []) }
  })
}

function othersSection(compared: readonly Compared[]): string[] {
  const rated = ratios(compared)
  const rows = rated.map(({ fact, delayMs, way, ratio, times, questions, trips }) => [
    fact,
    `${delayMs} ms`,
    way,
    `× ${ratio.toFixed(2)}`,
    ...[0.5, 0.95, 0.99].map((share) => quantile(times, share).toFixed(1)),
    `${questions} in ${trips}`,
  ])
  const charts = [...new Set(rated.map(({ fact }) => fact))].map((fact) =>
    chart(
      fact.replaceAll(' ', '-'),
      `${fact}: time beside JSON-RPC by hand, by milliseconds to the node`,
      [...new Set(rated.map(({ delayMs }) => delayMs))].map((delayMs) => ({
        group: `${delayMs} ms`,
        bars: rated
          .filter((one) => one.fact === fact && one.delayMs === delayMs)
          .map(({ way, ratio }) => ({ label: way, value: ratio, shown: `× ${ratio.toFixed(2)}` })),
      })),
    ),
  )
  return [
    '## Beside asking the node oneself',
    '',
    'The same facts from the service, at a new block and again at the same one, and from the node with viem, ethers and',
    'JSON-RPC by hand. Those batch what needs no answer of before, and prove nothing; ethers waits 10 ms for what may share',
    'a request. A prepared subscribe is simulated in every way. Ratios are of medians, beside JSON-RPC by hand. Far from the',
    'node there are few runs, so the 99th of a hundred is the slowest there. Questions are the fewest that it took, and in',
    'how many HTTP requests: at a new block the service asks some of them for all callers at once.',
    '',
    ...charts,
    '',
    table(
      ['fact', 'to the node', 'way', 'ratio', 'p50, ms', 'p95', 'p99', 'questions in HTTP requests'],
      rows,
    ),
  ]
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

const compared = await compareWithOthers(SHARE, ({ fact, delayMs, way, times }) =>
  tell(`${fact}, ${delayMs} ms, ${way}: ${median(times).toFixed(1)} ms`),
)
const processes = await measureProcesses(SHARE, ({ asked, processes: count, perSecond }) =>
  tell(`${asked}, ${count} processes: ${perSecond.toFixed(0)}/s`),
)
// Last, because it keeps this process on one core.
const { measured, lengths } = await measureHttp(ROUNDS, SHARE, tell)

const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
const missing = compared.some(({ way }) => way === 'ethers')
  ? []
  : ['', 'Without ethers: `npm ci --prefix bench/ethers` installs it.']
writeFileSync(
  REPORT,
  [
    '# Remit, measured beside others',
    '',
    `By \`npm run bench\`, on ${machine()} It took ${minutes} minutes.`,
    ...missing,
    '',
    ...othersSection(compared),
    '',
    ...httpSection(measured, lengths),
    '',
    ...processesSection(processes),
    '',
  ].join('\n'),
)
tell(`${REPORT} is written.`)
