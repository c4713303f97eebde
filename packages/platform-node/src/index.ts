export { HmacGrantSigner, type HmacGrantSignerOptions } from './hmac-grant-signer.ts';
export { NodeMachine } from './node-machine.ts';
export { NodeApiKeySecrets, NodeSessionSecrets } from './node-secrets.ts';
export { RandomIds } from './random-ids.ts';
export type { ScryptCost } from './scrypt-key.ts';
export {
  SCRYPT_COST,
  ScryptPasswordHasher,
  type ScryptPasswordHasherOptions,
} from './scrypt-password-hasher.ts';
export { loadOrCreateSecret } from './secret-file.ts';
export { SystemClock } from './system-clock.ts';
