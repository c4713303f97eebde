export { HmacGrantSigner, type HmacGrantSignerOptions } from './hmac-grant-signer.ts';
export { NodeMachine } from './node-machine.ts';
export { NodeApiKeySecrets, NodeSessionSecrets, RandomIds } from './node-secrets.ts';
export {
  SCRYPT_COST,
  type ScryptCost,
  ScryptPasswordHasher,
  type ScryptPasswordHasherOptions,
} from './scrypt-password-hasher.ts';
export { loadOrCreateSecret } from './secret-file.ts';
export { SystemClock } from './system-clock.ts';
