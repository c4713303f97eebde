import * as suites from '@pinfold/test-contracts';
import { archiveStorageStories } from './archive-storage-stories.ts';
import * as stories from './stories.ts';
import * as subjects from './subjects.ts';
import { harness, openIn } from './subjects.ts';
import { type TestedTable, tested } from './tested.ts';

export const tables: readonly TestedTable[] = [
  tested({
    contract: suites.accountStoreContract,
    open: openIn(subjects.accounts),
    part: 'accounts',
    stories: [...harness(subjects.accounts), ...stories.accountStories],
  }),
  tested({
    contract: suites.apiKeyStoreContract,
    open: openIn(subjects.apiKeys),
    stories: [...harness(subjects.apiKeys), ...stories.apiKeyStories],
  }),
  tested({
    contract: suites.attemptCounterContract,
    open: openIn(subjects.attempts),
    stories: [...harness(subjects.attempts), ...stories.attemptStories],
  }),
  tested({
    contract: suites.archiveStorageContract,
    open: openIn(subjects.archives),
    stories: [...harness(subjects.archives), ...archiveStorageStories],
  }),
  tested({
    contract: suites.stagingContract,
    open: subjects.openStaging,
    stories: [...subjects.stagingHarness, ...stories.stagingStories],
  }),
  tested({
    contract: suites.archiveInspectorContract,
    open: subjects.openInspector,
    stories: stories.inspectorStories,
    furtherMethods: ['close'],
  }),
  tested({
    contract: suites.clockContract,
    open: subjects.openClock,
    furtherMethods: ['advance', 'uptime'],
    checksFields: true,
  }),
  tested({ contract: suites.grantSignerContract, open: subjects.openSigner, checksFields: true }),
  tested({ contract: suites.apiKeySecretsContract, open: subjects.openKeySecrets, checksFields: true }),
  tested({ contract: suites.sessionSecretsContract, open: subjects.openSessionSecrets, checksFields: true }),
  tested({ contract: suites.idsContract, open: subjects.openIds, checksFields: true }),
  tested({ contract: suites.passwordHasherContract, open: subjects.openHasher, checksFields: true }),
];
