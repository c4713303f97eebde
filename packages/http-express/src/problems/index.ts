// What commands say of refusals. Loads no more of the doors, so that commands start fast.
export { problemOf, refuseRequest } from './problem.ts';
export { archiveError, type WireError, type WireWarning, wireWarnings } from './problem-details.ts';
export { isWireCode } from './problem-table.ts';
export { type RoleOperation, refusedBy } from './state-refusal.ts';
