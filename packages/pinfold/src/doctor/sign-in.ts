import type { Settings } from '../settings/settings.ts';
import { type Finding, trying } from './finding.ts';
import { type Answered, ask, type Way } from './outside/ask.ts';
import { isAboutCertificate, unanswered } from './outside/unanswered.ts';

const AWAY =
  'see that PINFOLD_OIDC_ISSUER is the address of your provider, and that this machine may connect to it';

/** Asks the provider by which people sign in what it is, as the first sign-in does. */
export async function signInFinding({ oidc }: Settings, way: Way): Promise<Finding> {
  const looking = trying(
    'sign_in',
    "read the document of PINFOLD_OIDC_ISSUER, and compare the issuer's name",
  );
  if (oidc === undefined) return looking.skipped('no provider is set');
  const url = new URL(`${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  try {
    const answer = await ask(url, { headers: { accept: 'application/json' } }, way);
    const issuer = issuerIn(answer);
    if (issuer === oidc.issuer) return looking.ok('it is the same');
    return issuer === undefined
      ? looking.failed(
          `${answer.status}, and no such document`,
          `look whether ${url.href} is what your provider names`,
        )
      : looking.failed(`it calls itself ${JSON.stringify(issuer)}`, 'set PINFOLD_OIDC_ISSUER to just that');
  } catch (error) {
    const [came, advice] = unanswered(error);
    return looking.failed(came, isAboutCertificate(error) ? advice : AWAY);
  }
}

function issuerIn({ status, text }: Answered): string | undefined {
  if (status !== 200) return undefined;
  try {
    const { issuer } = (JSON.parse(text) ?? {}) as { readonly issuer?: unknown };
    return typeof issuer === 'string' ? issuer : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
