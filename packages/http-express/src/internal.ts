// For packages of the same release; semver does not cover it. Loads no Express, so that commands start fast.
export { bearerToken } from './authentication.ts';
export { accountOf } from './wire/account.ts';
export { eventOf } from './wire/event.ts';
export {
  type AdministeredPin,
  administeredPinOf,
  pinOf,
  takedownOf,
  type WireTakedown,
} from './wire/pin.ts';
export { serviceOf } from './wire/service.ts';
