import { accountAfterPublishing, checkAuthority } from '../../domain/admission.ts';
import type { AccountId, RoleId } from '../../domain/identity.ts';
import type { Instant } from '../../domain/instant.ts';
import { withNameWarnings } from '../../domain/name.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { CommitOutcome, Lease, RoleCommit, RoleStore, Version } from '../../ports/role-store.ts';
import type { Program } from '../../records/program.ts';
import { all, type Step, type Steps, together } from '../../records/step.ts';
import { get, insert, update, upsert } from '../../records/steps.ts';
import { ACCOUNTS, type AccountRow } from '../../records/tables/account-tables.ts';
import { archiveLock, idempotencyLock } from '../../records/tables/locks.ts';
import {
  IDEMPOTENCY_KEYS,
  type IdempotencyKeyRow,
  MANIFESTS,
  NAMES,
  ROLES,
  type RoleRow,
} from '../../records/tables/role-tables.ts';
import { ADMITTING, admit, moveName, readAdmission } from '../admission.ts';
import { changeLocks, checkCredential, getCredential, newAccount } from '../checks.ts';
import { feedEnds, insertEvents } from '../events.ts';
import { derivedMembers } from '../role-rows.ts';
import { getMode, modeOf } from '../service-mode.ts';
import { addChange } from '../store-programs.ts';

const HELD = ['token', 'role', 'warnings'] as const;
const PUBLISHER = [...ADMITTING, 'lastPublishedAt'] as const;

type Commit = Parameters<RoleStore['commit']>;

/** The initial members of a role's row beside the role. */
export const FIRST: Omit<
  RoleRow,
  keyof RoleCommit['role'] | keyof ReturnType<typeof derivedMembers> | 'lastEventAt'
> = {
  version: 1 as Version,
  isExpiryRecorded: false,
  hasArchive: true,
  isPurged: false,
  cleanupToken: null,
  cleanupNotBefore: null,
  cleanupFailures: 0,
};

/** Stores a publication. Reads everything that decides about it in one round trip. */
export const commitRole: Program<Commit, CommitOutcome> = addChange('roles.commit', {
  locks: ([{ role, credential }, lease, events]: Commit) => {
    const { exclusive, shared } = changeLocks({ account: role.account, credential }, events);
    return {
      exclusive: [...exclusive, idempotencyLock(lease.account, lease.key)],
      shared: [...shared, archiveLock(role.sha256)],
    };
  },
  *run([publication, lease, events]): Steps<CommitOutcome> {
    const { role, now, limits, name, credential = {} } = publication;
    const { account } = role;
    const candidate = { ...role, now, limits, name: name?.name };
    const [[row, known, mode, caller], facts, ends] = yield* together(
      all(
        get(IDEMPOTENCY_KEYS, { account: lease.account, key: lease.key }, HELD),
        get(ACCOUNTS, { name: account }, PUBLISHER),
        getMode,
        getCredential(credential),
      ),
      readAdmission(candidate),
      feedEnds(events),
    );
    const judged = judgeCommit(row, lease, role.id);
    if (judged === 'committed') return committedAs(publication, row?.warnings ?? null);
    if (judged !== 'held') return { kind: judged };
    const refused =
      checkCredential(credential, caller, { name: account, account: known }) ??
      checkAuthority(known, modeOf(mode)) ??
      (yield* admit(known, candidate, facts));
    if (refused !== undefined) return refused;
    const warnings =
      name === undefined
        ? publication.warnings
        : withNameWarnings(publication.warnings, role, facts.names, limits);
    const shown = name && { ...name, account, role: role.id, updatedAt: now };
    yield* all(
      recordPublishing(account, known, publication),
      insert(ROLES, {
        ...role,
        ...FIRST,
        ...derivedMembers(role),
        lastEventAt: events.at(-1)?.at ?? (0 as Instant),
      }),
      insert(MANIFESTS, { archive: role.archive, manifest: publication.manifest }),
      update(IDEMPOTENCY_KEYS, { account: lease.account, key: lease.key }, { role: role.id, warnings }),
      ...insertEvents(events, ends),
      ...(shown === undefined ? [] : [upsert(NAMES, moveName(facts.named, shown))]),
    );
    return committedAs(publication, warnings);
  },
});

/** Records a publication in the row of its account. */
function recordPublishing(
  name: AccountId,
  known: Pick<AccountRow, (typeof PUBLISHER)[number]> | undefined,
  publication: RoleCommit,
): Step<void, 'write'> {
  if (known !== undefined) return update(ACCOUNTS, { name }, accountAfterPublishing(known, publication));
  const owner = newAccount(name);
  return insert(ACCOUNTS, { ...owner, ...accountAfterPublishing(owner, publication) });
}

/** Decides a commit by the key's row: `held` while the lease is valid, `committed` if this role was committed before. */
function judgeCommit(
  row: Pick<IdempotencyKeyRow, 'token' | 'role'> | undefined,
  { token }: Pick<Lease, 'token'>,
  role: RoleId,
): 'held' | 'committed' | 'lease_lost' {
  if (row?.token !== token) return 'lease_lost';
  if (row.role === null) return 'held';
  return row.role === role ? 'committed' : 'lease_lost';
}

/** Makes the outcome of a commit that was stored, now or before. */
function committedAs({ name }: Pick<RoleCommit, 'name'>, warnings: readonly Warning[] | null): CommitOutcome {
  return name === undefined ? { kind: 'committed' } : { kind: 'committed', warnings: warnings ?? [] };
}
