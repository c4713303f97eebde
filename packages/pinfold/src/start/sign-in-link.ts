import { type AccountId, type Cause, isFault, type SessionScope } from '@pinfold/core';
import type { ComposedService } from '../compose/compose.ts';
import { BY_THIS_NODE } from '../identity.ts';
import type { Log } from '../server/log.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';

/** The path of the management screen below the public URL. */
export const MANAGEMENT_PATH = '/manage';

/**
 * Makes a link that signs in to the management screen, once and within the hour. Until then it is a secret. With the
 * scope `admin` its session administers the service as well.
 */
export async function offerSignInLink(
  { manageSessions }: Pick<ComposedService, 'manageSessions'>,
  { publicUrl }: Pick<WebAddresses, 'publicUrl'>,
  account: AccountId,
  cause?: Cause,
  scope?: SessionScope,
): Promise<string> {
  const { token } = await manageSessions.offerLink(account, cause, scope);
  return `${publicUrl}${MANAGEMENT_PATH}/sign-in?link=${token}`;
}

/** As {@link offerSignInLink}, for a start: sites are viewed without it, also from a database that takes no more. */
export async function offerSignInLinkIfPossible(
  composition: Pick<ComposedService, 'manageSessions'>,
  addresses: Pick<WebAddresses, 'publicUrl'>,
  account: AccountId,
  log: Log,
): Promise<string | undefined> {
  try {
    return await offerSignInLink(composition, addresses, account, BY_THIS_NODE);
  } catch (error) {
    if (!isFault(error) || error.code !== 'store_unavailable') throw error;
    log.error('no sign-in link could be made', error);
    return undefined;
  }
}
