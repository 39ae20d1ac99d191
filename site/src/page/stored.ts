/** What this browser keeps for the site. Where it keeps nothing, as in some private windows, all goes on without. */
export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** @param value `undefined` forgets it */
export function remember(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // Nothing is kept then.
  }
}
