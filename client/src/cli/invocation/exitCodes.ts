/** What the process ends with, for scripts. */
export const EXIT = {
  done: 0,
  /** The service understood and said no: nothing there, not ready, not allowed. */
  refused: 1,
  /** The command line or its input cannot be meant. */
  usage: 2,
  /** The service, its chain or the network failed, or a limit is spent: the same command may work later. */
  unavailable: 3,
  /** 128 + SIGINT. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
