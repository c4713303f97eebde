import { isBytes } from '../adapter/foreign-values.ts';
import { Semaphore } from '../adapter/semaphore.ts';
import type { PublicationLimits } from '../domain/account.ts';
import { FORBIDDEN_CONTENT } from '../domain/admission.ts';
import { causedBy, expectCause } from '../domain/history.ts';
import { checkIdempotencyKey, parseFilename } from '../domain/idempotency.ts';
import { type AccountId, accountId } from '../domain/identity.ts';
import type { Limits } from '../domain/limits.ts';
import { type Name, type PinName, parseName } from '../domain/name.ts';
import { parsePassword } from '../domain/password.ts';
import type { Publication } from '../domain/role.ts';
import { parseTitle } from '../domain/text.ts';
import type { Warning } from '../domain/warnings.ts';
import { Fault } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { discardQuietly, type StagedArchive, type Staging } from '../ports/staging.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { Attribution } from './changing.ts';
import { type ProofOptions, prove } from './prove-archive.ts';
import { type PublicationPorts, PublicationRun, type RunOutcome } from './publication.ts';
import type { ShowName, ShowPublication } from './show-publication.ts';

/** A staged archive, which publishing always discards in the end, or bytes to stage. */
export type GivenArchive = StagedArchive | Uint8Array | AsyncIterable<Uint8Array>;

/** A publication to make. */
export interface PublishRequest extends Attribution {
  /** The account that will own it. */
  readonly by: string;
  /** The Idempotency-Key: repeating a request with the same one never publishes twice. */
  readonly key: string;
  /** The name of the ZIP; of a path, the last segment counts. */
  readonly filename: string;
  /** Absent, null and the empty string all mean none. */
  readonly title?: string | null;
  /** A name of the account to point at the publication, in the same commit. Absent and null mean none. */
  readonly name?: string | null;
  /** The password that viewers need from the beginning. Absent, null and the empty string all mean none. */
  readonly password?: string | null;
  readonly archive: GivenArchive;
}

/** An archive to check without publishing it. */
export type CheckRequest = Pick<PublishRequest, 'by' | 'archive'>;

/** The outcome of a dry run. */
export type CheckOutcome =
  | {
      readonly kind: 'checked';
      readonly fileCount: number;
      readonly size: number;
      readonly warnings: readonly Warning[];
    }
  | Refusal<'archive_too_large' | 'invalid_archive' | 'refused_by_host'>;

/** `replayed`: the key published it before, and its state may have changed since. */
export type PublishOutcome =
  | {
      readonly kind: 'published' | 'replayed';
      readonly publication: Publication;
      readonly warnings: readonly Warning[];
      /** The requested name as it is now; null if it was deleted since. Absent if none was requested. */
      readonly name?: Name | null;
    }
  | Extract<RunOutcome, Refusal>;

/** Publishes archives: proves one, stores it, and commits its role, exactly once for a key. */
export interface Publishing {
  /**
   * Publishes, or returns what the key has published before. It runs to its end even if the caller has gone.
   *
   * @throws Fault when a port cannot be reached, or `publishing_overloaded`; repeating with the same key is safe.
   *
   * @example
   * import type { UseCases } from '@pinfold/core';
   *
   * declare const useCases: UseCases, archive: Uint8Array;
   * const outcome = await useCases.publish({ by: 'ada', key: 'site-42', filename: 'site.zip', archive });
   * if (outcome.kind !== 'refused') console.log(outcome.publication.sharedUrl, outcome.warnings);
   */
  publish(request: PublishRequest): Promise<PublishOutcome>;

  /** Checks an archive like publishing, but stores nothing. */
  check(request: CheckRequest): Promise<CheckOutcome>;
}

interface PublishOptions extends ProofOptions {
  readonly limitsOf: (account: AccountId) => Promise<Limits>;
  readonly quotasOf: (account: AccountId) => Promise<PublicationLimits>;
}

export function publishing(
  ports: PublicationPorts & Pick<AllPorts, 'staging' | 'takedowns' | 'names'>,
  limits: Limits,
  { show, showName }: { readonly show: ShowPublication; readonly showName: ShowName },
  { limitsOf, quotasOf, ...shared }: PublishOptions,
): Publishing {
  const proofs = new Semaphore<AccountId>({ places: limits.proving });
  const tools = { ...shared, ports, proofs };
  const gate = new Semaphore<AccountId>({
    places: limits.publishing,
    queue: limits.publishingQueue,
    overloaded: () => new Fault('publishing_overloaded', 'too many wait'),
  });
  return {
    async publish({ archive: given, cause: givenCause, credential = {}, ...request }) {
      const outcome = await withArchive<RunOutcome>(ports.staging, given, async (receive) => {
        const account = accountId(request.by);
        const cause = expectCause(givenCause ?? causedBy(account));
        const name = request.name == null ? undefined : parseName(request.name);
        if (isRefusal(name)) return name;
        const key = checkIdempotencyKey(request.key, limits);
        if (isRefusal(key)) return key;
        const filename = parseFilename(request.filename);
        if (isRefusal(filename)) return filename;
        const password = parsePassword(request.password ?? null, limits);
        if (isRefusal(password)) return password;
        const title = parseTitle(request.title ?? null, limits);
        if (isRefusal(title)) return title;
        const own = await limitsOf(account);
        const archive = await receive(own);
        if (isRefusal(archive)) return archive;
        const quotas = await quotasOf(account);
        const by = { account, cause, credential };
        const wanted = { ...by, key, filename, title, name, password, archive, quotas };
        return await gate.run(account, () => new PublicationRun({ ...tools, limits: own }, wanted).run());
      });
      shared.observe?.({ kind: 'publish', outcome: isRefusal(outcome) ? outcome.code : outcome.kind });
      if (isRefusal(outcome)) return outcome;
      const { role, ...published } = outcome;
      const answer = { ...published, publication: show(role) };
      if (request.name == null) return answer;
      const found = await ports.names.find(role.account, request.name as PinName);
      return { ...answer, name: found === undefined ? null : showName(found) };
    },
    check: ({ by, archive: given }) =>
      withArchive<CheckOutcome>(ports.staging, given, async (receive) => {
        const account = accountId(by);
        const own = await limitsOf(account);
        const archive = await receive(own);
        if (isRefusal(archive)) return archive;
        if (await ports.takedowns.isForbidden(archive.sha256)) return FORBIDDEN_CONTENT;
        const submitted = { archive, account, cause: causedBy(account) };
        const proved = await gate.run(account, () =>
          proofs.run(account, () => prove({ ...tools, limits: own }, submitted)),
        );
        if (isRefusal(proved)) return proved;
        const { entries, size, warnings } = proved;
        return { kind: 'checked', fileCount: entries.length, size, warnings };
      }),
  };
}

/** Runs work with an archive: receives it on demand unless it is staged already, and always discards it in the end. */
async function withArchive<Outcome>(
  staging: Staging,
  given: GivenArchive,
  work: (
    receive: (limits: Limits) => Promise<StagedArchive | Refusal<'archive_too_large'>>,
  ) => Promise<Outcome>,
): Promise<Outcome> {
  if (!isArchive(given)) throw new TypeError(NO_ARCHIVE);
  let archive = 'discard' in given ? given : undefined;
  try {
    return await work(async ({ archiveBytes: limit }) => {
      if (archive !== undefined) return archive;
      const received = await staging.receive(
        splitIntoChunks(given as Exclude<GivenArchive, StagedArchive>),
        limit,
      );
      if (received.kind === 'too_large') return { kind: 'refused', code: 'archive_too_large', limit };
      archive = received.archive;
      return archive;
    });
  } finally {
    if (archive !== undefined) await discardQuietly(archive);
  }
}

const NO_ARCHIVE = 'archive must be the bytes of a ZIP (Uint8Array), or a stream of them';

/** Checks the type, because plain JavaScript may pass a path or a promise. */
function isArchive(given: unknown): given is GivenArchive {
  if (typeof given !== 'object' || given === null) return false;
  return isBytes(given) || Symbol.asyncIterator in given || 'discard' in given;
}

async function* splitIntoChunks(given: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (isBytes(given)) return yield given;
  for await (const chunk of given) {
    if (!isBytes(chunk)) throw new TypeError(NO_ARCHIVE);
    yield chunk;
  }
}
