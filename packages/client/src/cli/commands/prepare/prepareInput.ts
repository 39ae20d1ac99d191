import { readFileSync } from 'node:fs'
import { isRecord } from '../../../call/isRecord.ts'
import { UsageError } from '../../invocation/CliError.ts'
import type { Flags } from '../../invocation/Flags.ts'
import { PREPARE_FIELDS } from './prepareFields.ts'

type InputBody = Readonly<Record<string, unknown>>

/**
 * The input of a prepare: `--input` (JSON, or `-` for standard input), with single options overriding it. The service
 * checks the fields. Throws UsageError.
 */
export function readPrepareInput(
  flags: Flags,
  readStdin: () => string = () => readFileSync(0, 'utf8'),
): InputBody {
  const given = flags.text('input')
  let body = given === undefined ? {} : parseObject(given === '-' ? readStdin() : given)
  for (const { flag, path, kind } of PREPARE_FIELDS) {
    const value =
      kind === 'switch'
        ? flags.isSet(flag) || undefined
        : kind === 'whole'
          ? flags.whole(flag, { min: 0 })
          : flags.text(flag)
    if (value !== undefined) body = withField(body, path, value)
  }
  return body
}

function withField(body: InputBody, [name, ...rest]: readonly string[], value: unknown): InputBody {
  if (name === undefined) return body
  const [next] = rest
  if (next === undefined) return { ...body, [name]: value }
  const inner = body[name]
  return { ...body, [name]: withField(isRecord(inner) ? inner : {}, rest, value) }
}

function parseObject(text: string): InputBody {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError('--input is not JSON.', { cause: error })
  }
  if (isRecord(value)) return value
  throw new UsageError('--input must be a JSON object, such as {"from": "0x…"}.')
}
