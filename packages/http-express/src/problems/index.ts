// The texts of refusals, for commands. Loads nothing else of the doors, so that commands start fast.

export type { WireError } from '../wire/problem.ts';
export { problemOf, refuseRequest } from './problem.ts';
export { archiveError, refusedBy, type WireWarning, wireWarnings } from './problem-details.ts';
export { isWireCode } from './problem-table.ts';
