export type {
  AdministeredPublication,
  ArchiveRequest,
  RoleListRequest,
} from './use-cases/admin-publications.ts';
export {
  type AccountOutcome,
  type AdministeredAccount,
  type Administration,
  type AdministrationPorts,
  createAdministration,
  type NewBlock,
} from './use-cases/administration.ts';
export type { EraseOutcome } from './use-cases/erasing.ts';
export type {
  TakedownOutcome,
  TakedownRequest,
} from './use-cases/taking-down.ts';
