export { createKeys, everyKey } from './use-cases/keys.ts';
export { createPairings } from './use-cases/pairings.ts';
export { createSessions } from './use-cases/sessions.ts';
