export {
  type AccountListOutcome,
  type AccountListRequest,
  type AdministeredAccount,
  type Administration,
  type AdministrationPorts,
  type BlockWish,
  createAdministration,
} from './use-cases/administration.ts';
