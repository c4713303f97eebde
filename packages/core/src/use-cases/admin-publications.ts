import { OPERATOR } from '../domain/actor.ts';
import { type Cause, eventOf } from '../domain/history.ts';
import { parseRoleId } from '../domain/identity.ts';
import { before, minutes } from '../domain/instant.ts';
import type { Publication, Role } from '../domain/role.ts';
import type { Takedown } from '../domain/takedown.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { Refusal } from '../refusal.ts';
import { archiveReading, type OpenArchiveOutcome } from './archive-reading.ts';
import { NOT_FOUND } from './changing.ts';
import type { PageOutcome } from './paging.ts';
import { type ListRequest, listRoles } from './reading.ts';
import type { ShowPublication } from './show-publication.ts';

/** A publication of any account, and its takedown, even a lifted one: the publication remains stopped. */
export interface AdministeredPublication {
  readonly publication: Publication;
  readonly takedown: Takedown | undefined;
}

/** A page of all roles to read. */
export interface RoleListRequest extends Omit<ListRequest, 'by' | 'order'> {
  /** Absent: every account. */
  readonly account?: string;
}

/** Reads the roles of all accounts. */
export interface Overseeing {
  /**
   * A page of all roles, newest first.
   *
   * @throws TypeError when the limit is not a whole number from 1 to 100, or the account or the state is invalid.
   */
  listRoles(request?: RoleListRequest): Promise<PageOutcome<'publications', AdministeredPublication>>;

  /** One role in any state; its id is a UUID in any letter case. */
  showRole(
    id: string,
    signal?: AbortSignal,
  ): Promise<({ readonly kind: 'found' } & AdministeredPublication) | Refusal<'not_found'>>;
}

export function overseeing(
  { roles, takedowns, clock }: Pick<AllPorts, 'roles' | 'takedowns' | 'clock'>,
  show: ShowPublication,
): Overseeing {
  async function withTakedowns(found: readonly Role[]): Promise<readonly AdministeredPublication[]> {
    const records = await takedowns.of(found.map(({ id }) => id));
    return found.map((role) => ({
      publication: show(role),
      takedown: records.find(({ id, sha256 }) => id === role.id && sha256 === role.sha256),
    }));
  }
  return {
    listRoles: (request = {}) => listRoles({ roles, clock }, request, withTakedowns),
    async showRole(text, signal) {
      const id = parseRoleId(text);
      const loaded = id === undefined ? undefined : await roles.load(id, signal);
      if (loaded === undefined) return NOT_FOUND;
      const [found] = await withTakedowns([loaded.value]);
      return { kind: 'found', ...(found as AdministeredPublication) };
    },
  };
}

/** The ZIP that the operator opens, and the cause to record. */
export interface ArchiveRequest {
  /** A UUID in any letter case. */
  readonly id: string;
  readonly cause: Cause;
  /** False before a takedown, which is recorded itself. Default: true. */
  readonly isRecorded?: boolean;
  readonly signal?: AbortSignal;
}

/** Reads the ZIPs of all accounts' publications. */
export interface AdministeredArchives {
  /**
   * Opens the ZIP of a publication in any state, as long as it is stored. The first read is recorded as
   * `pin.archive_read`, at most once a minute for each actor and publication.
   *
   * @throws Fault as `OpenedArchive.read` does.
   */
  openArchive(request: ArchiveRequest): Promise<OpenArchiveOutcome>;
}

type ArchivePorts = Pick<AllPorts, 'roles' | 'archives' | 'history' | 'clock' | 'ids'>;

export function administeredArchives(ports: ArchivePorts, show: ShowPublication): AdministeredArchives {
  const { openArchive } = archiveReading(ports, show);
  return {
    async openArchive({ id, cause, isRecorded = true, signal }) {
      const opened = await openArchive({ by: OPERATOR, id, ...(signal && { signal }) });
      if (opened.kind === 'refused' || !isRecorded) return opened;
      let recorded: Promise<unknown> | undefined;
      return {
        ...opened,
        read: async (...range) => {
          recorded ??= recordRead(ports, opened.publication, cause);
          await recorded;
          return await opened.read(...range);
        },
      };
    },
  };
}

/** Records a read once a minute, so that a download in several parts is one event. */
async function recordRead(
  { history, clock, ids }: ArchivePorts,
  { account, id }: Publication,
  cause: Cause,
): Promise<void> {
  const at = clock.now();
  const event = eventOf(ids, { type: 'pin.archive_read', at }, cause, account, id);
  await history.recordOnce({ ...event, account, pin: id }, before(at, minutes(1)));
}
