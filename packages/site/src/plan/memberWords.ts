/** "1 member". */
export function memberWords(count: number): string {
  return `${count.toLocaleString('en')} member${count === 1 ? '' : 's'}`
}
