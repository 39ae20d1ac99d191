/** The environment says something that cannot be meant; the sentence names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
