import { type ArchiveId, type Role, stateOf } from '@pinfold/core';
import type { AllPorts } from '@pinfold/core/adapter';
import type { MovedRecord } from '@pinfold/core/moving';
import { listArchives, prefetch, readArchive } from './archives.ts';
import type { Gap, NamedArchive, Source, Step, Walking } from './walk.ts';

/** The number of records in one step. */
const PAGE = 200;

export type ExportedStores = Pick<AllPorts, 'snapshot' | 'roles' | 'archives' | 'clock'>;

/** Reads the records of a running service as of one instant, then the archives in order of their ids. */
export function fromStores(stores: ExportedStores): Source {
  return async function* (walking) {
    const removed: Pick<Gap, 'archive' | 'pin'>[] = [];
    let page: MovedRecord[] = [];
    for await (const record of stores.snapshot.records()) {
      const { kind, value } = record;
      // A role loses its manifest when its archive is removed.
      if (kind === 'publication' && value.manifest === null && isInService(stores, value))
        removed.push({ archive: value.archive, pin: value.id });
      page.push(record);
      if (page.length < PAGE) continue;
      yield { kind: 'records', records: page };
      page = [];
    }
    yield { kind: 'records', records: page };
    for (const { archive, pin } of removed) {
      const gap = await describeGap(stores, archive, pin);
      if (gap.fault === 'removed' && gap.isLost) yield gap;
    }
    // Collected, and yielded last: they are found one by one while archives are read.
    const removals: MovedRecord[] = [];
    const ids = [...walking.named.keys()].sort();
    // Listing returns a thousand archives per request, so archives that need not be read are looked up in the list.
    const skipsReading = ids.some((id) => walking.has(id));
    const stored = new Set(skipsReading ? await Array.fromAsync(listArchives(stores.archives)) : []);
    for await (const steps of prefetch(ids, (id) => createSteps(stores, walking, id, stored.has(id)))) {
      for (const step of steps) {
        if (step.kind === 'removal') removals.push(step);
        else yield step;
      }
    }
    yield { kind: 'records', records: removals };
  };
}

type Removal = Extract<MovedRecord, { readonly kind: 'removal' }>;

async function createSteps(
  stores: ExportedStores,
  { named, has }: Walking,
  id: ArchiveId,
  isStored: boolean,
): Promise<readonly (Step | Removal)[]> {
  const { pin, sha256 } = named.get(id) as NamedArchive;
  if (has(id)) {
    const present: Step = { kind: 'archive', id, loaded: undefined };
    // Checked again, because a cleanup may have removed it since.
    const isThere = isStored || (await stores.archives.size(id)) !== undefined;
    return isThere ? [present] : [present, await describeGap(stores, id, pin)];
  }
  const loaded = await readArchive(stores.archives, id);
  if (loaded?.sha256 === sha256) return [{ kind: 'archive', id, loaded }];
  const gap = await describeGap(stores, id, pin);
  if (gap.fault !== 'removed')
    return [loaded === undefined ? gap : { ...gap, fault: 'altered', isLost: false }];
  // It was removed while other archives were read, so its role has changed, too.
  const { expiresAt = null, deletedAt = null } = (await stores.roles.load(pin))?.value ?? {};
  return [{ kind: 'removal', value: { id: pin, archive: id, expiresAt, deletedAt } }, gap];
}

async function describeGap(stores: ExportedStores, archive: ArchiveId, pin: Gap['pin']): Promise<Gap> {
  const isNamed = (await stores.roles.whichAreNamed([archive])).has(archive);
  const isLost = isInService(stores, (await stores.roles.load(pin))?.value);
  return { kind: 'gap', fault: isNamed ? 'missing' : 'removed', archive, pin, isLost };
}

function isInService(
  { clock }: ExportedStores,
  role: Pick<Role, 'deletedAt' | 'expiresAt'> | undefined,
): boolean {
  return role !== undefined && stateOf(role, clock.now()) === 'published';
}
