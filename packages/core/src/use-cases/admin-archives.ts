import { OPERATOR } from '../domain/actor.ts';
import { type Cause, eventOf } from '../domain/history.ts';
import { before, minutes } from '../domain/instant.ts';
import type { Publication } from '../domain/role.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { archiveReading, type OpenArchiveOutcome } from './archive-reading.ts';
import type { ShowPublication } from './show-publication.ts';

/** Whose ZIP the operator wants, and who it is. */
export interface ArchiveRequest {
  /** A UUID in any letter case. */
  readonly id: string;
  readonly cause: Cause;
  /** False for a takedown that follows, which is recorded itself. Default: true. */
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

/** A download in several parts, or one that is taken up again, is one event. */
async function recordRead(
  { history, clock, ids }: ArchivePorts,
  { account, id }: Publication,
  cause: Cause,
): Promise<void> {
  const at = clock.now();
  const event = eventOf(ids, { type: 'pin.archive_read', at }, cause, account, id);
  await history.recordOnce({ ...event, account, pin: id }, before(at, minutes(1)));
}
