/** "One subscription uses", "3 subscriptions use". */
export function counted(count: number, one: string, many: string): string {
  return `${count === 1 ? 'One' : count} ${count === 1 ? one : many}`
}
