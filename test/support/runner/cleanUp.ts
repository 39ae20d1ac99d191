import { afterAll, afterEach } from 'vitest'
import { killPrograms, removeCacheHome } from '../programs/program.ts'

// Vitest runs this for each test file. A module that several files share is evaluated once and could add its hooks
// to the first of them only.
afterEach(killPrograms)
afterAll(removeCacheHome)
