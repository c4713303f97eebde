import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AccountId,
  type ArchiveInspector,
  type ArchiveListing,
  type ArchiveProof,
  accountId,
  type Cleaning,
  createUseCases,
  type Grant,
  type GrantSigner,
  type HistoryEvent,
  type Limits,
  type ListedEntry,
  OPERATOR,
  type Password,
  type PasswordHash,
  type PasswordHasher,
  type PublishRequest,
  type RoleId,
  type Sessions,
  type Sha256,
  type StagedArchive,
  type Staging,
  type StartedSession,
  type UseCases,
} from '@pinfold/core';
import type { AllPorts } from '@pinfold/core/adapter';
import { createCleaning } from '@pinfold/core/cleaning';
import { createHistory, type EventListRequest } from '@pinfold/core/history';
import { createSharing } from '@pinfold/core/sharing';
import { createMemory, type Memory } from '@pinfold/memory';
import { NodeApiKeySecrets, NodeSessionSecrets, RandomIds } from '@pinfold/platform-node';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { moveRemovalClock } from '../../src/use-cases/removal.ts';

export const OWNER: AccountId = accountId('owner');

/** Reports every archive as a site of one page, unless the test sets another result. */
export class ScriptedInspector implements ArchiveInspector {
  entries: readonly Partial<ListedEntry>[] = [{ name: 'index.html' }];
  problems: ArchiveListing['problems'] = [];
  proofProblems: ArchiveProof['problems'] = [];
  /** Awaited while proving. */
  during: (signal?: AbortSignal) => Promise<void> = () => Promise.resolve();

  list(): Promise<ArchiveListing> {
    const entries = this.entries.map((entry) => ({ ...ENTRY, ...entry }));
    return Promise.resolve({ entries, problems: this.problems, trusted: this.problems.length === 0 });
  }

  async prove(
    request: Parameters<ArchiveInspector['prove']>[0],
    signal?: AbortSignal,
  ): Promise<ArchiveProof> {
    await this.during(signal);
    return {
      problems: this.proofProblems,
      entries: request.tasks.map(({ entry }) => ({
        entry,
        utf8: true,
        references: [],
        secrets: [],
        whole: true,
      })),
    };
  }
}

const ENTRY: ListedEntry = {
  name: 'index.html',
  host: 3,
  externalAttributes: 0o100644 << 16,
  flags: 0,
  method: 0,
  crc32: 1,
  compressedSize: 4,
  size: 4,
  dataOffset: 40,
};

/** Stores the password as its hash: the tests are about when hashes are requested. */
class PlainHasher implements PasswordHasher {
  hash(password: Password): Promise<PasswordHash> {
    return Promise.resolve(`plain:${password}` as PasswordHash);
  }

  verify(password: Password, hash: PasswordHash): Promise<boolean> {
    return Promise.resolve(hash === `plain:${password}`);
  }
}

class OpenSigner implements GrantSigner {
  sign(grant: Grant): string {
    return Buffer.from(JSON.stringify(grant)).toString('base64url');
  }

  verify(token: string): Grant | undefined {
    return token.startsWith('ey')
      ? (JSON.parse(Buffer.from(token, 'base64url').toString()) as Grant)
      : undefined;
  }
}

class NoStaging implements Staging {
  receive(): never {
    throw new TypeError('uploads are staged by the test');
  }

  sweep(): Promise<number> {
    return Promise.resolve(0);
  }

  countAbandoned(): Promise<number> {
    return Promise.resolve(0);
  }

  check(): Promise<void> {
    return Promise.resolve();
  }
}

/** A request whose archive has been received. */
export type StagedRequest = PublishRequest & { readonly archive: StagedArchive };

type Differing = Partial<StagedRequest> & { readonly bytes?: string };

/** All use cases over stores in memory, with a clock and an inspector that the test controls. */
export interface Stage {
  readonly memory: Memory;
  readonly clock: ManualClock;
  readonly inspector: ScriptedInspector;
  readonly ports: AllPorts;
  readonly useCases: UseCases & Cleaning;
  /** The same data with some ports replaced or limits changed. */
  with(ports: Partial<AllPorts>, limits?: Partial<Limits>): UseCases & Cleaning;
  /** A request for a new archive; the same bytes give the same archive. */
  request(differing?: Differing): Promise<StagedRequest>;
  publish(differing?: Differing): Promise<RoleId>;
}

const folders: string[] = [];
afterEach('the folders that the test made are removed', async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

export function stageOfEachTest(): Stage {
  return ofEachTest(openStage);
}

/** Opens a stage, which ends with its test. Its clock of removal has begun. */
export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-use-cases-'));
  folders.push(folder);
  const memory = createMemory();
  const clock = createManualClock();
  const inspector = new ScriptedInspector();
  const ports: AllPorts = {
    ...memory,
    persistence: memory,
    staging: new NoStaging(),
    inspector,
    passwords: new PlainHasher(),
    grants: new OpenSigner(),
    apiKeySecrets: new NodeApiKeySecrets(),
    sessionSecrets: new NodeSessionSecrets(),
    clock,
    machine: clock,
    ids: new RandomIds(),
  };
  await moveRemovalClock(ports, {});
  const over: Stage['with'] = (other, limits = {}) => ({
    ...createUseCases({ ...ports, ...other }, limits),
    ...createSharing({ ...ports, ...other }, limits),
    ...createCleaning({ ...ports, ...other }, limits),
  });
  const useCases = over({});
  const request: Stage['request'] = async ({ bytes = 'PK', ...differing } = {}) => ({
    by: OWNER,
    key: 'key-1',
    filename: 'site.zip',
    title: null,
    archive: await stage(folder, bytes),
    ...differing,
  });
  return {
    memory,
    clock,
    inspector,
    ports,
    useCases,
    request,
    with: over,
    publish: async (differing) => {
      const outcome = await useCases.publish(await request(differing));
      if (outcome.kind === 'refused') throw new Error(`refused: ${outcome.code}`);
      return outcome.publication.id;
    },
  };
}

async function stage(folder: string, bytes: string): Promise<StagedArchive> {
  const file = join(folder, randomUUID());
  await writeFile(file, bytes);
  return {
    file,
    open: () => createReadStream(file),
    size: Buffer.byteLength(bytes),
    sha256: createHash('sha256').update(bytes).digest('hex') as Sha256,
    discard: () => rm(file, { force: true }),
  };
}

/** Whether the upload of a request is still stored. */
export function isStaged(request: StagedRequest): boolean {
  return existsSync(request.archive.file ?? '');
}

/** Lists the newest hundred events of the history, newest first. */
export async function eventsOf(
  { ports }: Pick<Stage, 'ports'>,
  request: EventListRequest = { by: OPERATOR },
): Promise<readonly HistoryEvent[]> {
  const page = await createHistory(ports).list({ limit: 100, ...request });
  return page.kind === 'page' ? page.events : expect.fail(page.code);
}

/** The code of a refusal or a fault. */
export async function codeOf(outcome: Promise<unknown>): Promise<unknown> {
  const value = await outcome.catch((error: unknown) => error);
  return typeof value === 'object' && value !== null && 'code' in value ? value.code : value;
}

/** The session that a sign-in began. */
export function startedOf(outcome: Awaited<ReturnType<Sessions['signInPerson']>>): StartedSession {
  return outcome.kind === 'started' ? outcome : expect.fail(outcome.code);
}
