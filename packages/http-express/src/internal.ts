// For packages of the same release; semver does not cover it. Loads no Express, so that commands start fast.
export { bearerToken } from './authentication.ts';
export {
  archiveError,
  isWireCode,
  problemOf,
  type RoleOperation,
  refusedBy,
  refuseRequest,
  type WireError,
  type WireWarning,
  wireWarnings,
} from './problems/index.ts';
export { accountOf } from './wire/account.ts';
export { eventOf } from './wire/event.ts';
export { limitsAnswerOf } from './wire/limits.ts';
export { nameOf } from './wire/name.ts';
export {
  type AdministeredPin,
  administeredPinOf,
  type Pin,
  pinOf,
  takedownOf,
  type WireTakedown,
} from './wire/pin.ts';
export { serviceOf } from './wire/service.ts';
