export type {
  AdministeredArchives,
  AdministeredPublication,
  ArchiveRequest,
  Overseeing,
  RoleListOutcome,
  RoleListRequest,
} from './use-cases/admin-publications.ts';
export {
  type AccountListOutcome,
  type AccountListRequest,
  type AccountOutcome,
  type AdministeredAccount,
  type Administration,
  type AdministrationPorts,
  createAdministration,
  type NewBlock,
} from './use-cases/administration.ts';
export type { EraseOutcome, Erasing, ErasingPorts } from './use-cases/erasing.ts';
export type {
  TakedownListOutcome,
  TakedownListRequest,
  TakedownOutcome,
  TakedownPorts,
  TakedownRequest,
  TakingDown,
} from './use-cases/taking-down.ts';
