import type { Settings } from '../settings/settings.ts';
import { type Check, failed, ok, skipped } from './finding.ts';
import { type Answer, ask, documentIn, type RequestSettings } from './outside/ask.ts';
import { isAboutCertificate, unanswered } from './outside/unanswered.ts';

const AWAY =
  'check that PINFOLD_OIDC_ISSUER is the address of your provider, and that this machine can connect to it';

/** Reads the provider's discovery document, as the first sign-in does. */
export function signInCheck({ oidc }: Pick<Settings, 'oidc'>, request: RequestSettings): Check {
  return {
    name: 'sign_in',
    expected: "the provider's discovery document names the issuer of PINFOLD_OIDC_ISSUER",
    run: async () => {
      if (oidc === undefined) return skipped('no provider is set');
      const url = new URL(`${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
      try {
        const answer = await ask(url, { headers: { accept: 'application/json' } }, request);
        const issuer = issuerIn(answer);
        if (issuer === oidc.issuer) return ok('the provider names the same issuer');
        return issuer === undefined
          ? failed(
              `the provider answered ${answer.status}, without a discovery document`,
              `check that ${url.href} is the address of your provider's document`,
            )
          : failed(
              `the provider calls itself ${JSON.stringify(issuer)}`,
              'set PINFOLD_OIDC_ISSUER to exactly that',
            );
      } catch (error) {
        const [observed, advice] = unanswered(error);
        return failed(observed, isAboutCertificate(error) ? advice : AWAY);
      }
    },
  };
}

function issuerIn(answer: Answer): string | undefined {
  const { issuer } = (documentIn(answer) ?? {}) as { readonly issuer?: unknown };
  return typeof issuer === 'string' ? issuer : undefined;
}
