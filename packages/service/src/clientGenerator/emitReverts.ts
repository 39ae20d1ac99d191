import { REVERTS } from '@remit/protocol/reverts'

/** The contract's revert strings with their names and meanings. */
export function emitReverts(): string {
  const row = ({ protocolCode, name, message }: (typeof REVERTS)[number]) =>
    `  { protocolCode: ${JSON.stringify(protocolCode)}, name: ${JSON.stringify(name)}, message: ${JSON.stringify(message)} },`
  return [
    '/** What the contract’s revert strings mean: "0" to "25", in order. */',
    'export const protocolReverts = [',
    ...REVERTS.map(row),
    '] as const',
    '',
  ].join('\n')
}
