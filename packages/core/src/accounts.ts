export { DEFAULT_KEY_LIMIT, mayManage, parseApiKeyId } from './domain/api-key.ts';
export { pairingCode } from './domain/pairing.ts';
export { parseSessionId, sessionIdOf } from './domain/session.ts';
export { createKeys, everyKey } from './use-cases/keys.ts';
export { createPairings } from './use-cases/pairings.ts';
export { createSessions } from './use-cases/sessions.ts';
