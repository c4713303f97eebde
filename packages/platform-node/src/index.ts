export { HmacGrantSigner, type HmacGrantSignerOptions } from './hmac-grant-signer.ts';
export { NodeApiKeySecrets } from './node-api-key-secrets.ts';
export { NodeMachine } from './node-machine.ts';
export { NodeSessionSecrets } from './node-session-secrets.ts';
export { RandomIds } from './random-ids.ts';
export type { ScryptCost } from './scrypt-key.ts';
export {
  SCRYPT_COST,
  ScryptPasswordHasher,
  type ScryptPasswordHasherOptions,
} from './scrypt-password-hasher.ts';
export { loadOrCreateSecret } from './secret-file.ts';
export { SystemClock } from './system-clock.ts';
