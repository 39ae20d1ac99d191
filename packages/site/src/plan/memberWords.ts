/** "1 subscriber". */
export function memberWords(count: number): string {
  return `${count.toLocaleString('en')} subscriber${count === 1 ? '' : 's'}`
}
