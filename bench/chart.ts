const WIDTH = 720
const LABELS = 190
const VALUES = 90
const BAR = 18
const GAP = 6
const GROUP_GAP = 16
const HEADING = 30
const COLOURS = ['#2f6f4f', '#7fb08f', '#3b6ea5', '#8a5fa8', '#b0702d', '#777777']

export interface Bars {
  readonly group: string
  readonly bars: readonly { readonly label: string; readonly value: number; readonly shown: string }[]
}

/** Lying bars in groups, as SVG. A label has the same colour in each group. */
export function barChart(title: string, groups: readonly Bars[]): string {
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)))
  const labels = [...new Set(groups.flatMap(({ bars }) => bars.map(({ label }) => label)))]
  const parts: string[] = []
  let y = HEADING
  for (const { group, bars } of groups) {
    y += GROUP_GAP
    parts.push(`<text x="0" y="${y}" font-weight="bold">${escaped(group)}</text>`)
    y += GAP
    for (const { label, value, shown } of bars) {
      const length = Math.max(1, Math.round(((WIDTH - LABELS - VALUES) * value) / most))
      const middle = y + BAR - 5
      parts.push(
        `<text x="${LABELS - 8}" y="${middle}" text-anchor="end">${escaped(label)}</text>`,
        `<rect x="${LABELS}" y="${y}" width="${length}" height="${BAR}" fill="${COLOURS[labels.indexOf(label) % COLOURS.length]}"/>`,
        `<text x="${LABELS + length + 6}" y="${middle}">${escaped(shown)}</text>`,
      )
      y += BAR + GAP
    }
  }
  const height = y + GAP
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12" role="img" aria-label="${escaped(title)}">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="0" y="18" font-size="15">${escaped(title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
