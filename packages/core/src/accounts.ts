export { mayManage, parseApiKeyId } from './domain/api-key.ts';
export { parseSessionId, sessionIdOf } from './domain/session.ts';
export { createKeys } from './use-cases/keys.ts';
export { createSessions } from './use-cases/sessions.ts';
