import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { loadConfig } from '../configuration/loadConfig.ts'
import { createLog } from './log.ts'
import { secretsOf } from './logLines.ts'

const KEY = `svc_${'k'.repeat(49)}`

function logging(secrets: readonly string[] = [], level = 'info') {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  return { log: createLog(level, { secrets, destination }), lines }
}

describe('the log', () => {
  it('is one line of JSON for each message, with its facts', () => {
    const { log, lines } = logging()
    log.warn('a message\nwith a break', { chainId: 8453, cause: 'one\ntwo' })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^[^\n]+\n$/)
    expect(z.record(z.string(), z.unknown()).parse(JSON.parse(String(lines[0])))).toEqual({
      level: 40,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      chainId: 8453,
      cause: 'one\ntwo',
      msg: 'a message\nwith a break',
    })
  })

  it('leaves out what is below its level', () => {
    const { log, lines } = logging([], 'warn')
    log.info('said')
    log.error('failed')
    expect(lines).toHaveLength(1)
  })

  it('has no secret and no API key in it, whoever brings them there and however deep', () => {
    const secrets = ['pass"word\\with.signs', 'plain-secret']
    const { log, lines } = logging(secrets)
    log.info(`said plain-secret`, { cause: `the node says: pass"word\\with.signs`, deep: [{ key: KEY }] })
    log.error(KEY)
    const text = lines.join('')
    for (const secret of [...secrets, 'word\\\\with', 'kkkkkk']) expect(text).not.toContain(secret)
    expect(() => lines.map((line) => JSON.parse(line))).not.toThrow()
    // Signs of a pattern in a secret mean themselves.
    log.info('passXword')
    expect(lines.at(-1)).toContain('passXword')
  })
})

describe('the log on standard error', () => {
  const ends = {
    'of itself': '',
    'by process.exit': 'process.exit(0)',
    'by an error': "throw new Error('of the program')",
  }
  it.each(Object.entries(ends))(
    'is whole and in order where the program ends %s, each line with its own time',
    (_, end) => {
      const { stderr } = spawnSync(
        process.execPath,
        [
          '--import=tsx',
          '--input-type=module',
          '--eval',
          `import { createLog } from '${import.meta.dirname}/log.ts'
        const log = createLog('info', { secrets: ['hush-hush'] })
        for (let place = 0; place < 1_001; place += 1) log.info('said hush-hush', { place })
        const at = Date.now()
        while (Date.now() < at + 50);
        log.warn('later', { place: 1_001 })
        ${end}`,
        ],
        { encoding: 'utf8' },
      )
      const Line = z.object({ place: z.number(), time: z.iso.datetime() })
      const lines = stderr.split('\n').filter((line) => line.startsWith('{'))
      const said = lines.map((line) => Line.parse(JSON.parse(line)))
      expect(said.map(({ place }) => place)).toEqual(Array.from({ length: 1_002 }, (_, place) => place))
      const [before, last] = said.slice(-2).map(({ time }) => Date.parse(time))
      expect(Number(last) - Number(before)).toBeGreaterThanOrEqual(50)
      expect(stderr).not.toContain('hush-hush')
    },
  )
})

describe('the secrets of a configuration', () => {
  it('are its passwords, its keys, and whatever in an RPC URL may be one', () => {
    const secrets = secretsOf(
      loadConfig({
        RPC_URL_8453:
          'https://rpc.example/v2/path-key-of-somebody, https://user-key-of-somebody:url%20password@other.example/?apikey=query-key-of-somebody',
        SUBGRAPH_URL_8453: 'https://graph.example/api/graph-key-of-somebody/subgraphs',
        SUBGRAPH_API_KEY: 'subgraph-bearer',
        DATABASE_URL: 'postgres://remit:database-password@db.example/remit',
        REDIS_URL: 'redis://:redis-password@cache.example',
        API_REQUIRE_BASIC_AUTH: 'true',
        API_BASIC_AUTH_USER: 'operator',
        API_BASIC_AUTH_PASSWORD: 'basic-password',
        DEVELOPER_KEYS_ADMIN_SECRET: 'an-admin-secret-of-sixteen',
        LOG_IDENTITY_KEY: 'an-identity-key-of-sixteen',
      }),
    )
    expect(secrets.toSorted()).toEqual([
      'an-admin-secret-of-sixteen',
      'an-identity-key-of-sixteen',
      'basic-password',
      'database-password',
      'graph-key-of-somebody',
      'path-key-of-somebody',
      'query-key-of-somebody',
      'redis-password',
      'subgraph-bearer',
      'url password',
      'url%20password',
      'user-key-of-somebody',
    ])
  })

  it('are not the words that any line may have', () => {
    expect(secretsOf(loadConfig({ RPC_URL_8453: 'https://rpc.example/v2' }))).toEqual([])
  })
})
