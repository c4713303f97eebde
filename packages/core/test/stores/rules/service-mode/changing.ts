import type { HistoryEvent, LoadedRole, Mode, Title } from '@pinfold/core';
import { NORMAL_MODE } from '@pinfold/core/adapter';
import {
  anApiKey,
  anApiKeyId,
  anEvent,
  aPublication,
  aReservation,
  leaseOf,
  publishTo,
} from '@pinfold/test-contracts/fixtures';
import { eventIds, loaded, recordedIds, type StoreClauses } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { ModeStores } from '../stores.ts';

const READ_ONLY: Mode = { kind: 'read_only', message: 'Zurück um 12 Uhr – 正午に戻ります' };

/** As many characters as a message may have, of two code units each. */
const MAX_MESSAGE = '\u{1f6e0}'.repeat(255);

/** How many changes of each kind begin before the mode changes. */
const AT_ONCE = 12;

function aChange(): HistoryEvent {
  return anEvent({ type: 'service.mode_changed', account: null });
}

/** Begins the `n`th change of each kind by accounts, concurrently; each may be refused. */
function changeAll(
  { roles, apiKeys }: ModeStores,
  { value, version }: LoadedRole,
  n: number,
): Promise<unknown> {
  return Promise.all([
    roles.save({ ...value, title: 'Changed' as Title }, version, [anEvent()]),
    roles.commit(aPublication(100 + n), leaseOf(aReservation(100 + n)), [anEvent()]),
    apiKeys.create(anApiKey(n), [anEvent()]),
  ]);
}

async function storedChanges({ roles, apiKeys }: ModeStores): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let n = 0; n < AT_ONCE; n += 1) {
    found.push((await roles.load(aPublication(n).role.id))?.value.title);
    found.push((await roles.load(aPublication(100 + n).role.id))?.value.id);
    found.push((await apiKeys.find(anApiKeyId(n)))?.id);
  }
  return found;
}

export const modeClauses: StoreClauses<ModeStores> = {
  'service-mode/load: the mode is loaded as any peer changed it last, with its message; it is normal at first':
    async ({ port, peer }) => {
      const { mode } = await peer();
      expect(await mode.load()).to.deep.equal(NORMAL_MODE);
      for (const next of [
        READ_ONLY,
        { ...READ_ONLY, message: MAX_MESSAGE },
        { ...READ_ONLY, message: null },
        NORMAL_MODE,
        READ_ONLY,
      ] as const) {
        await port.mode.change(next, [aChange()]);
        expect(await mode.load()).to.deep.equal(next);
      }
    },
  'service-mode/events: a change is stored with its events, and setting the same mode again stores none':
    async ({ port, peer }) => {
      const changes = [aChange(), aChange(), aChange()];
      const [first, second, third] = changes.map((event) => [event]);
      const other = await peer();
      await port.mode.change(NORMAL_MODE, [aChange()]);
      await port.mode.change(READ_ONLY, first ?? []);
      await other.mode.change(READ_ONLY, [aChange()]);
      await other.mode.change({ ...READ_ONLY, message: null }, second ?? []);
      await port.mode.change({ ...READ_ONLY, message: null }, [aChange()]);
      await port.mode.change(NORMAL_MODE, third ?? []);
      await other.mode.change(NORMAL_MODE, [aChange()]);
      expect(await recordedIds(other)).to.deep.equal(eventIds(...changes));
    },
  'service-mode/settled: once the service is read-only, no peer stores a change of an account that began before':
    async ({ port, peer }) => {
      const peers = [port, await peer(), await peer()] as const;
      const before: LoadedRole[] = [];
      for (let n = 0; n < AT_ONCE; n += 1) {
        await publishTo(port.roles, aPublication(n));
        await port.roles.reserve(aReservation(100 + n));
        before.push(await loaded(port, aPublication(n).role.id));
      }
      const changing = before.map((role, n) => changeAll(peers[n % peers.length] ?? port, role, n));
      await peers[1].mode.change(READ_ONLY, [aChange()]);
      const settled = await storedChanges(port);
      expect(await port.mode.load()).to.deep.equal(READ_ONLY);
      await Promise.all(changing);
      expect(await storedChanges(port)).to.deep.equal(settled);
    },
};
