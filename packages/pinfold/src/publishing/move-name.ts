import type { Name, PinfoldClient } from '@pinfold/client';
import { CommandFailure, isRefusedWith } from '../command-line/failures.ts';
import { throwNameError } from './refusal-text.ts';

/** Fails if publishing would remove a name's password by mistake. A `password` of null removes it on purpose. */
export async function checkStaysProtected(
  api: PinfoldClient,
  { name, password }: { readonly name?: string | undefined; readonly password?: string | null | undefined },
): Promise<void> {
  if (name === undefined || password !== undefined || !(await isProtected(name, api))) return;
  throw protectionError(name, '--password-stdin, or --no-password to publish without one');
}

/** The publication that a name will show: one by its id, or the previous one. */
export type NextShown = { readonly id: string } | 'previous';

/**
 * Points a name at another publication.
 *
 * @throws CommandFailure before any change, if the name would lose its password or has no previous publication.
 */
export async function moveName(
  name: string,
  next: NextShown,
  mayLosePassword: boolean,
  api: PinfoldClient,
): Promise<Name> {
  const id = next === 'previous' ? await findPrevious(name, api) : next.id;
  if (!mayLosePassword) {
    const { state, password_protected } = (await api.get(id)).pin;
    // The server itself refuses a publication that has ended.
    if (state === 'published' && !password_protected && (await isProtected(name, api)))
      throw protectionError(name, '--no-password to show one without');
  }
  return (await api.names.set(name, id)).name;
}

async function findPrevious(name: string, { names }: PinfoldClient): Promise<string> {
  const { previous } = (await names.get(name).catch(throwNameError)).name;
  if (previous) return previous;
  throw new CommandFailure(
    `${name} has not shown another publication before: give the ID of the one to show`,
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

function protectionError(name: string, alternatives: string): CommandFailure {
  return new CommandFailure(`${name} shows a publication with a password: give ${alternatives}`, 'usage');
}
