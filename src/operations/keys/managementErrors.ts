import {
  AdminNotConfiguredError,
  DeveloperKeysDisabledError,
  KeysUnavailableError,
} from '../../errors/access.ts'
import type { ErrorClass } from '../../errors/base.ts'

/** What any route that manages keys may answer. */
export const managementErrors: readonly ErrorClass[] = [
  DeveloperKeysDisabledError,
  AdminNotConfiguredError,
  KeysUnavailableError,
]
