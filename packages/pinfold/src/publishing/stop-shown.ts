import type { PinfoldClient } from '@pinfold/client';
import { CommandFailure, isRefusedWith } from '../command-line/failures.ts';

/** Stops the publications that only this deleted name showed since it was last created; returns their ids. */
export async function stopShown(name: string, api: PinfoldClient): Promise<readonly string[]> {
  const shown = await findShown(name, api).catch((error: unknown) => {
    if (!isRefusedWith(error, 'not_found')) throw error;
    const message =
      'this server has no history, so the publications of the name are unknown: stop them by ID';
    throw new CommandFailure(message, { cause: error, code: 'not_found' });
  });
  for await (const { pin } of api.names.list()) shown.delete(pin);
  const stopped: string[] = [];
  for (const id of shown) if (await stopInService(id, api)) stopped.push(id);
  return stopped;
}

/** Finds the publications of a deleted name in its events between the last two deletions. */
async function findShown(name: string, api: PinfoldClient): Promise<Set<string>> {
  const shown = new Set<string>();
  let deletions = 0;
  for await (const event of api.history()) {
    if (event.name !== name) continue;
    if (event.type === 'name.deleted') deletions += 1;
    if (deletions === 2) break;
    if (event.type === 'name.set' && event.pin !== null) shown.add(event.pin);
  }
  return shown;
}

/** Returns false if the publication is not in service, for example because someone else stopped it meanwhile. */
async function stopInService(id: string, api: PinfoldClient): Promise<boolean> {
  try {
    if ((await api.get(id)).pin.state !== 'published') return false;
    await api.stop(id);
    return true;
  } catch (error) {
    if (isRefusedWith(error, 'not_found', 'invalid_state')) return false;
    throw error;
  }
}
