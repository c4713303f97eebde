export type { AdministeredArchives, ArchiveRequest } from './use-cases/admin-archives.ts';
export type {
  AdministeredPublication,
  Overseeing,
  RoleListOutcome,
  RoleListRequest,
} from './use-cases/admin-reads.ts';
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
