import { after, type Generation, type GrantSigner, type Ids, type Instant, minutes } from '@pinfold/core';

/** The header that says a request is the doctor's. */
export const MARK_HEADER = 'x-pinfold-doctor';

/** Where a server says how a request of the doctor's arrived; what follows it is for the doctor to choose. */
export const MIRROR_PATH = '/healthz/mirror/';

/** What a server saw of a request. */
export interface EchoedRequest {
  readonly host: string;
  /** The target as it came. */
  readonly target: string;
  readonly origin: string | null;
  readonly forwarded_for: string | null;
  /** The address that the client counts as. */
  readonly client: string;
  /** The other end of the connection. */
  readonly peer: { readonly address: string; readonly port: number };
  readonly body_bytes: number;
}

/** No publication has it: no viewer's grant is a mark, and a mark opens no site. */
const NO_GENERATION = -1 as Generation;

const GOOD_FOR = minutes(1);

/** What only somebody with the secret of the server can make; it is good for a minute. */
export function markOf(grants: GrantSigner, ids: Ids, now: Instant): string {
  return grants.sign({
    purpose: 'path',
    role: ids.role(),
    generation: NO_GENERATION,
    accountGeneration: NO_GENERATION,
    issuedAt: now,
    madeAt: now,
  });
}

/** Whether a text is a mark that is good now. */
export function isMark(grants: GrantSigner, text: string, now: Instant): boolean {
  const grant = grants.verify(text);
  if (grant === undefined || grant.generation !== NO_GENERATION) return false;
  return Math.abs(now - grant.madeAt) <= GOOD_FOR && now <= after(grant.madeAt, GOOD_FOR);
}
