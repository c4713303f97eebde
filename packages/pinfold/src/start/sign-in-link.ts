import { type AccountId, type Cause, isFault, type SessionScope } from '@pinfold/core';
import type { ComposedService } from '../compose/compose.ts';
import { BY_THIS_NODE, DEFAULT_ACCOUNT } from '../identity.ts';
import type { Log } from '../server/log.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';

/** The path of the management screen below the public URL. */
export const MANAGEMENT_PATH = '/manage';

/**
 * Creates a link that signs in to the management screen, once within the hour; it is a secret until then. With the
 * scope `admin` its session also administers the service.
 */
export async function createSignInLink(
  { manageSessions }: Pick<ComposedService, 'manageSessions'>,
  { publicUrl }: Pick<WebAddresses, 'publicUrl'>,
  account: AccountId,
  cause?: Cause,
  scope?: SessionScope,
): Promise<string> {
  const { token } = await manageSessions.offerLink(account, cause, scope);
  return `${publicUrl}${MANAGEMENT_PATH}/sign-in?link=${token}`;
}

/**
 * Creates the link of a start, for the default account. Returns `undefined` if the database accepts no writes, because
 * sites can still be viewed.
 */
export async function createStartLink(
  composition: Pick<ComposedService, 'manageSessions'>,
  addresses: Pick<WebAddresses, 'publicUrl'>,
  log: Log,
): Promise<string | undefined> {
  try {
    return await createSignInLink(composition, addresses, DEFAULT_ACCOUNT, BY_THIS_NODE);
  } catch (error) {
    if (!isFault(error) || error.code !== 'store_unavailable') throw error;
    log.error('no sign-in link could be created', error);
    return undefined;
  }
}
