import type { Terminal } from '@remit/client/testing/cli/output/Terminal'
import { runCommandLine } from '@remit/client/testing/cli/runCommandLine'

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Circumstances {
  readonly environment?: Record<string, string>
  readonly terminal?: Partial<Terminal>
  readonly signal?: AbortSignal
}

/** Runs a command line in this process, on a terminal of its own. */
export async function runInProcess(
  args: readonly string[],
  { environment = {}, terminal = {}, signal = new AbortController().signal }: Circumstances = {},
): Promise<Outcome> {
  let out = ''
  let err = ''
  const code = await runCommandLine({
    args,
    environment,
    terminal: {
      isTty: false,
      columns: Number.POSITIVE_INFINITY,
      colours: false,
      ...terminal,
      out: (written) => {
        out += written
      },
      err: (written) => {
        err += written
      },
    },
    signal,
    version: () => '1.2.3',
  })
  return { code, out, err }
}
