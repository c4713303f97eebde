import type { ArchiveStorage, RoleStore } from '@pinfold/core';
import {
  type ArchiveStorageSubject,
  apiKeyStoreContract,
  archiveStorageContract,
  attemptCounterContract,
  type Contract,
  checkApiKeyStoreSequences,
  checkArchiveStorageSequences,
  checkAttemptCounterSequences,
  checkRoleStoreSequences,
  checkRoleStoreStorms,
  checkSessionStoreSequences,
  clausesOf,
  roleStoreContract,
  type StoreSubject,
  type Subject,
  sessionStoreContract,
} from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { soundSubject } from '../saboteurs/archive-storage/subjects.ts';
import { memorySaboteurs, type Spoiling } from '../saboteurs/memory-saboteurs.ts';
import { holds, type Opening } from '../saboteurs/sabotage.ts';
import { apiKeySabotages } from './api-keys.ts';
import { archiveSabotages } from './archives.ts';
import { attemptSabotages } from './attempts.ts';
import { blindApiKeySabotages } from './blind/api-keys.ts';
import { fourthApiKeySabotages } from './blind/api-keys-fourth.ts';
import { thirdApiKeySabotages } from './blind/api-keys-third.ts';
import { blindArchives } from './blind/archives.ts';
import { fifthArchives } from './blind/archives-fifth.ts';
import { blindArchivesLists } from './blind/archives-lists.ts';
import { blindArchivesPut } from './blind/archives-put.ts';
import { secondArchives } from './blind/archives-second.ts';
import { seventhArchives } from './blind/archives-seventh.ts';
import { sixthArchives } from './blind/archives-sixth.ts';
import { blindArchivesUnderWay } from './blind/archives-under-way.ts';
import { blindAttempts } from './blind/attempts.ts';
import { blindAttemptsEnded } from './blind/attempts-ended.ts';
import { fifthAttempts } from './blind/attempts-fifth.ts';
import { secondAttempts } from './blind/attempts-second.ts';
import { stepping } from './blind/attempts-second-counter.ts';
import { sixthAttempts } from './blind/attempts-sixth.ts';
import { sixthAttemptsEnded } from './blind/attempts-sixth-ended.ts';
import { tabled } from './blind/attempts-sixth-tables.ts';
import { counting } from './blind/own-counter.ts';
import { storing } from './blind/own-storage.ts';
import { blindRoleSabotages } from './blind/roles.ts';
import { fifthRoleSabotages, soundFifthRoles } from './blind/roles-fifth.ts';
import { fourthRoleSabotages, soundRoles } from './blind/roles-fourth.ts';
import { seventhRoleSabotages, soundSeventhRoles } from './blind/roles-seventh.ts';
import { sixthRoleSabotages, soundSixthRoles } from './blind/roles-sixth.ts';
import { blindSessionSabotages } from './blind/sessions.ts';
import { fifthSessionSabotages } from './blind/sessions-fifth.ts';
import { fourthSessionSabotages } from './blind/sessions-fourth.ts';
import { sixthSessionSabotages } from './blind/sessions-sixth.ts';
import { thirdSessionSabotages } from './blind/sessions-third.ts';
import { roleSabotages } from './roles.ts';
import { sessionSabotages } from './sessions.ts';
import {
  unusualApiKeys,
  unusualArchives,
  unusualAttempts,
  unusualRoles,
  unusualSessions,
} from './unusual.ts';
import type { Sabotages } from './ways.ts';

/** A port and the ways in which it may be sabotaged. */
export interface Sabotaged {
  readonly port: string;
  readonly hows: readonly string[];
  /** The first of the published checks that notices, if any does. */
  noticedBy(how: string): Promise<string | undefined>;
}

/** What one clause may take, in milliseconds; who never ends is noticed. */
const LIMIT = 5_000;

/** What is sound and slow, on a machine that is busy, is not noticed. */
const OF_SOUND_ONES = 120_000;

function sabotaged<Port extends object, S extends StoreSubject<Port>>(
  contract: Contract<Port, S>,
  sabotages: Sabotages<Port>,
  openingOf: (spoiling: Spoiling<Port>) => Opening<S>,
  models: (create: () => Promise<S>, how: string) => Promise<void> = async () => {},
  limit = LIMIT,
): Sabotaged {
  // Most are noticed by a clause that is quick: what took long when it held is asked last.
  const took = new Map<string, number>();
  const tookOf = ({ id }: { readonly id: string }) => took.get(id) ?? 0;
  return {
    port: contract.port,
    hows: Object.keys(sabotages),
    noticedBy: async (how) => {
      const open = openingOf(sabotages[how] as Spoiling<Port>);
      for (const clause of clausesOf(contract).toSorted((one, other) => tookOf(one) - tookOf(other))) {
        const begun = performance.now();
        if (!(await holds(clause, open(), limit))) return clause.id;
        took.set(clause.id, performance.now() - begun);
      }
      return await models(open(), how).then(
        () => undefined,
        () => 'a model',
      );
    },
  };
}

function ofMemory<Port extends object>(
  ways: ReturnType<typeof memorySaboteurs<Port>>,
): (spoiling: Spoiling<Port>) => Opening<StoreSubject<Port>> {
  return (spoiling) => ways.saboteur('', '', spoiling).open;
}

const ofArchives =
  (spoiling: Spoiling<ArchiveStorage>): Opening<ArchiveStorageSubject> =>
  () =>
  async () => {
    const subject = await soundSubject();
    const methods = spoiling();
    const spoiled = (port: ArchiveStorage): ArchiveStorage => replacing(port, methods(port));
    return {
      ...subject,
      port: spoiled(subject.port),
      peer: async () => spoiled(await subject.peer()),
      unreachable: async () => spoiled(await subject.unreachable()),
    };
  };

const ofRoles = ofMemory(memorySaboteurs(({ roles }) => roles));

/** Only of these all keep their events: many others are stores of their own, without a history. */
const WITH_EVENTS = { ...seventhRoleSabotages, ...soundSeventhRoles };

async function roleModels(create: () => Promise<StoreSubject<RoleStore>>, how: string): Promise<void> {
  const withoutEvents = async (): Promise<Subject<RoleStore>> => {
    const subject = await create();
    return { port: subject.port, peer: () => subject.peer(), dispose: () => subject.dispose() };
  };
  const looked = how in WITH_EVENTS ? create : withoutEvents;
  await checkRoleStoreSequences(looked, { runs: 100, seed: 1, shortest: false });
  await checkRoleStoreStorms(create, { runs: 100, seed: 1, shortest: false });
}

export const sabotagedPorts: readonly Sabotaged[] = [
  sabotaged(
    archiveStorageContract,
    {
      ...archiveSabotages,
      ...blindArchives,
      ...blindArchivesLists,
      ...blindArchivesPut,
      ...blindArchivesUnderWay,
      ...secondArchives,
      ...fifthArchives,
      ...seventhArchives,
      ...sixthArchives,
    },
    ofArchives,
    (create) => checkArchiveStorageSequences(create, { runs: 100, seed: 1, shortest: false }),
  ),
  sabotaged(
    roleStoreContract,
    {
      ...roleSabotages,
      ...blindRoleSabotages,
      ...fourthRoleSabotages,
      ...fifthRoleSabotages,
      ...sixthRoleSabotages,
      ...seventhRoleSabotages,
    },
    ofRoles,
    roleModels,
  ),
  sabotaged(
    attemptCounterContract,
    {
      ...attemptSabotages,
      ...blindAttempts,
      ...blindAttemptsEnded,
      ...secondAttempts,
      ...fifthAttempts,
      ...sixthAttempts,
      ...sixthAttemptsEnded,
    },
    ofMemory(memorySaboteurs(({ attempts }) => attempts)),
    (create) => checkAttemptCounterSequences(create, { runs: 500, seed: 1, shortest: false }),
  ),
  sabotaged(
    apiKeyStoreContract,
    { ...apiKeySabotages, ...blindApiKeySabotages, ...thirdApiKeySabotages, ...fourthApiKeySabotages },
    ofMemory(memorySaboteurs(({ apiKeys }) => apiKeys)),
    (create) => checkApiKeyStoreSequences(create, { runs: 600, seed: 1, shortest: false }),
  ),
  sabotaged(
    sessionStoreContract,
    {
      ...sessionSabotages,
      ...blindSessionSabotages,
      ...thirdSessionSabotages,
      ...fourthSessionSabotages,
      ...fifthSessionSabotages,
      ...sixthSessionSabotages,
    },
    ofMemory(memorySaboteurs(({ sessions }) => sessions)),
    (create) => checkSessionStoreSequences(create, { runs: 600, seed: 1, shortest: false }),
  ),
];

/** What the sabotages written blind are made from, with nothing wrong, and what is unusual: no published check notices. */
export const soundOnes: readonly Sabotaged[] = [
  sabotaged(
    archiveStorageContract,
    { 'a storage of its own': storing(() => ({})), ...unusualArchives },
    ofArchives,
    (create) => checkArchiveStorageSequences(create, { runs: 30 }),
    OF_SOUND_ONES,
  ),
  sabotaged(
    attemptCounterContract,
    {
      'a counter of its own': counting({}),
      'a counter in steps': stepping(() => ({})),
      'a counter in tables': tabled(() => ({})),
      ...unusualAttempts,
    },
    ofMemory(memorySaboteurs(({ attempts }) => attempts)),
    (create) => checkAttemptCounterSequences(create),
    OF_SOUND_ONES,
  ),
  sabotaged(
    roleStoreContract,
    { ...soundRoles, ...soundFifthRoles, ...soundSixthRoles, ...soundSeventhRoles, ...unusualRoles },
    ofRoles,
    roleModels,
    OF_SOUND_ONES,
  ),
  sabotaged(
    apiKeyStoreContract,
    unusualApiKeys,
    ofMemory(memorySaboteurs(({ apiKeys }) => apiKeys)),
    (create) => checkApiKeyStoreSequences(create),
    OF_SOUND_ONES,
  ),
  sabotaged(
    sessionStoreContract,
    unusualSessions,
    ofMemory(memorySaboteurs(({ sessions }) => sessions)),
    (create) => checkSessionStoreSequences(create),
    OF_SOUND_ONES,
  ),
];
