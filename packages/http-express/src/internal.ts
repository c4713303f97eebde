// For packages of the same release; semver does not cover it. Loads no Express, so that commands start fast.
export { bearerToken } from './authentication.ts';
export { problemOf, refuseRequest } from './problems/problem.ts';
export { isWireCode } from './problems/problem-table.ts';
export { type RoleOperation, refusedBy } from './problems/state-refusal.ts';
export { archiveError, type WireError, type WireWarning, wireWarnings } from './problems/tell.ts';
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
