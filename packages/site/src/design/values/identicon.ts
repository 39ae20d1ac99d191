interface Identicon {
  readonly colour: string
  readonly background: string
  /** The cells that are painted, as [column, row] of a 5 × 5 grid. */
  readonly cells: readonly (readonly [number, number])[]
}

/** A picture of an address, made of its bytes alone: the same everywhere, loaded from nowhere. */
export function identicon(address: string): Identicon {
  const bytes = bytesOf(address)
  // Two bytes as an angle: 65,535 / 182.05 is just under 360 degrees.
  const hue = Math.round(((bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)) / 182.05)
  const cells: [number, number][] = []
  // The left three columns follow the bytes, odd ones are painted; the right two mirror them.
  for (let row = 0; row < 5; row += 1) {
    for (let column = 0; column < 3; column += 1) {
      const byte = bytes[2 + row * 3 + column] ?? 0
      if (byte % 2 === 0) continue
      cells.push([column, row])
      if (column < 2) cells.push([4 - column, row])
    }
  }
  return { colour: `hsl(${hue} 58% 42%)`, background: `hsl(${(hue + 150) % 360} 45% 88%)`, cells }
}

function bytesOf(address: string): number[] {
  const hex = address.toLowerCase().replace(/^0x/, '')
  return (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))
}
