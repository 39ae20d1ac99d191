const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** A bar of at most so many cells, in proportion to the longest one. Whatever is above zero shows. */
export function barOf(value: bigint, longest: bigint, cells: number): string {
  if (value <= 0n || longest <= 0n) return ''
  const eighths = Math.max(1, Number((value * BigInt(cells * 8)) / longest))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}
