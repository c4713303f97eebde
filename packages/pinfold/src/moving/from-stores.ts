import { type Role, stateOf } from '@pinfold/core';
import type { AllPorts } from '@pinfold/core/adapter';
import type { MovedRecord } from '@pinfold/core/moving';
import { readArchives } from './archives.ts';
import type { Gap, Source } from './walk.ts';

/** The number of records in one step. */
const PAGE = 200;

export type ExportedStores = Pick<AllPorts, 'snapshot' | 'roles' | 'archives' | 'clock'>;

/** Reads the records of a running service as of one instant, then the archives in order of their ids. */
export function fromStores(stores: ExportedStores): Source {
  return async function* (walk) {
    const removed: Gap[] = [];
    let page: MovedRecord[] = [];
    for await (const record of stores.snapshot.records()) {
      const { kind, value } = record;
      // A role loses its manifest when its archive is removed.
      if (kind === 'publication' && value.manifest === null && isInService(stores, value)) {
        const { archive, id: pin } = value;
        removed.push({ kind: 'gap', fault: 'removed', archive, pin, isLost: true, isKnown: true });
      }
      page.push(record);
      if (page.length < PAGE) continue;
      yield { kind: 'records', records: page };
      page = [];
    }
    yield { kind: 'records', records: page };
    for (const gap of removed) if (isInService(stores, await loadRole(stores, gap))) yield gap;
    yield* readArchives(stores.archives, walk);
    for (const gap of walk.absent()) {
      const { archive, pin } = gap;
      const role = await loadRole(stores, gap);
      const isNamed = (await stores.roles.whichAreNamed([archive])).has(archive);
      const isLost = gap.fault !== 'altered' && isInService(stores, role);
      yield { ...gap, fault: isNamed ? gap.fault : 'removed', isLost, isKnown: true };
      if (isNamed) continue;
      // It was removed while archives were read, so its role has changed, too.
      const { expiresAt = null, deletedAt = null } = role ?? {};
      const removal = { id: pin, archive, expiresAt, deletedAt };
      yield { kind: 'records', records: [{ kind: 'removal', value: removal }] };
    }
  };
}

async function loadRole({ roles }: ExportedStores, { pin }: Gap): Promise<Role | undefined> {
  return (await roles.load(pin))?.value;
}

function isInService(
  { clock }: ExportedStores,
  role: Pick<Role, 'deletedAt' | 'expiresAt'> | undefined,
): boolean {
  return role !== undefined && stateOf(role, clock.now()) === 'published';
}
