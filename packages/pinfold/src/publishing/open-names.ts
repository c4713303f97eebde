import type { Name, PinfoldClient } from '@pinfold/client';
import { CommandFailure, isRefusedWith } from '../command-line/failures.ts';
import { orNoName } from './refusal-text.ts';

/** A name whose viewers have to enter a password must not lose it by mistake; null means to publish without one. */
export async function refuseUnprotected(
  api: PinfoldClient,
  { name, password }: { readonly name?: string | undefined; readonly password?: string | null | undefined },
): Promise<void> {
  if (name === undefined || password !== undefined || !(await isProtected(name, api))) return;
  throw refusal(name, '--password-stdin, or --no-password to publish without one');
}

/** What a name is to show: a publication by its id, or what the name showed before. */
export type NextShown = { readonly id: string } | 'previous';

/** Points a name at another publication; throws before a change where it would open a name, or nothing was before. */
export async function moveName(
  name: string,
  next: NextShown,
  mayOpen: boolean,
  api: PinfoldClient,
): Promise<Name> {
  const id = next === 'previous' ? await previousOf(name, api) : next.id;
  if (!mayOpen) {
    const { state, password_protected } = (await api.get(id)).pin;
    // The server refuses one that has ended.
    if (state === 'published' && !password_protected && (await isProtected(name, api)))
      throw refusal(name, '--no-password to show one without');
  }
  return (await api.names.set(name, id)).name;
}

async function previousOf(name: string, { names }: PinfoldClient): Promise<string> {
  const { previous } = (await names.get(name).catch(orNoName)).name;
  if (previous) return previous;
  throw new CommandFailure(
    `${name} has shown nothing else before: give the ID of what it is to show`,
    'invalid_state',
  );
}

/** Whether a name shows a publication with a password. */
async function isProtected(name: string, api: PinfoldClient): Promise<boolean> {
  const shown = await api.names.get(name).catch((error: unknown) => {
    if (!isRefusedWith(error, 'not_found')) throw error;
  });
  return shown !== undefined && (await api.get(shown.name.pin)).pin.password_protected;
}

function refusal(name: string, ways: string): CommandFailure {
  return new CommandFailure(`${name} shows a publication with a password: give ${ways}`, 'usage');
}
