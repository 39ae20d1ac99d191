import encodeQR from 'qr'

/** A text as the path of a QR code, in a square of so many units. */
export function drawQr(text: string): { readonly size: number; readonly path: string } {
  const rows = encodeQR(text, 'raw', { border: 2 })
  const path = rows
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('')
  return { size: rows.length, path }
}
