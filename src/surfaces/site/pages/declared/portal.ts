import { definePage } from '../definePage.ts'

export const portal = definePage({
  name: 'portal',
  path: '/portal',
  title: 'API keys',
  description: 'Sign in with your wallet and make API keys with higher limits.',
})
