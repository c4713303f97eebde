import { type Generation, type GrantSigner, type Ids, type Instant, minutes } from '@pinfold/core';

export const DOCTOR_TOKEN_HEADER = 'x-pinfold-doctor';

/** The path at which a server echoes a request with a doctor token. */
export const ECHO_PATH = '/healthz/mirror';

export interface EchoedRequest {
  readonly host: string;
  readonly origin: string | null;
  readonly forwarded_for: string | null;
  /** The address to which rate limits apply. */
  readonly client: string;
  readonly peer: { readonly address: string; readonly port: number };
  readonly body_bytes: number;
}

/** No publication has this generation, so a token opens no site, and a grant is not a token. */
const NO_GENERATION = -1 as Generation;

const VALID_FOR = minutes(1);

/** Creates a token with the server's secret, valid for a minute. */
export async function signDoctorToken(grants: GrantSigner, ids: Ids, now: Instant): Promise<string> {
  return await grants.sign({
    purpose: 'path',
    role: ids.role(),
    generation: NO_GENERATION,
    accountGeneration: NO_GENERATION,
    issuedAt: now,
    madeAt: now,
  });
}

export async function isDoctorToken(grants: GrantSigner, text: string, now: Instant): Promise<boolean> {
  const grant = await grants.verify(text);
  if (grant === undefined || grant.generation !== NO_GENERATION) return false;
  return Math.abs(now - grant.madeAt) <= VALID_FOR;
}
