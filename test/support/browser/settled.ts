/** Resolves once everything that waits for nothing but promises has run. */
export const settled = () => new Promise((resolve) => setTimeout(resolve))
