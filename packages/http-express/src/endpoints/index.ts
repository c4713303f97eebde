import type { AccountCall, Endpoint, OperatorCall } from '../endpoint.ts';
import { eraseAccount, listAccounts, readAccount, updateAccount } from './accounts.ts';
import { liftTakedown, listAllPins, listTakedowns, readAnyPin, takeDownPin } from './administered-pins.ts';
import { createGrant } from './create-grant.ts';
import { readAdminDocument } from './documents.ts';
import { listAllEvents, listEvents } from './list-events.ts';
import { deleteName, listNames, readName, setName } from './names.ts';
import { listPins, readPin, stopPin, updatePin } from './pins.ts';
import { publishPin } from './publish-pin.ts';
import { readAnyArchive, readArchive } from './read-archive.ts';
import { readLimits } from './read-limits.ts';
import { readService, updateService } from './service.ts';

export const endpoints: readonly Endpoint<AccountCall>[] = [
  listPins,
  publishPin,
  readPin,
  updatePin,
  stopPin,
  createGrant,
  readArchive,
  readLimits,
  listEvents,
  listNames,
  readName,
  setName,
  deleteName,
];

export const operatorEndpoints: readonly Endpoint<OperatorCall>[] = [
  listAccounts,
  readAccount,
  updateAccount,
  eraseAccount,
  listAllPins,
  readAnyPin,
  readAnyArchive,
  takeDownPin,
  listTakedowns,
  liftTakedown,
  listAllEvents,
  readService,
  updateService,
  readAdminDocument,
];
