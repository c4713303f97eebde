import type { ProblemDetails } from './problems/problem.ts';
import { problemTable } from './problems/problem-table.ts';
import type { JsonObject } from './schema.ts';

/** Describes your own sign-in, for callers without API keys. */
export interface SignIn {
  /** The advice of 401: "Sign in at https://team.example/login." */
  readonly detail: string;
  /** The `WWW-Authenticate` of 401 (RFC 9110, section 11.6.1): `Bearer`, `Cookie`. */
  readonly challenge: string;
  /** How the API document describes it (OpenAPI 3.1, Security Scheme Object). */
  readonly securityScheme: JsonObject;
}

type SignInWords = Readonly<Record<'unauthorized' | 'forbidden' | 'not_found', ProblemDetails>>;

/** The texts for unknown callers, and for callers without the needed scope. */
export function signInWords({ detail, challenge }: SignIn): SignInWords {
  return {
    unauthorized: {
      title: 'Nobody is signed in',
      detail,
      advice: 'Sign in and send the request again',
      headers: { 'WWW-Authenticate': challenge },
    },
    forbidden: {
      title: 'The caller lacks the scope',
      detail:
        'Sign in with the scope this request needs: pins:read to read, pins:write to publish and change.',
      advice: 'Sign in as somebody who may do this and send the request again',
    },
    not_found: {
      advice: 'Check the path, the id and the name, and that the caller belongs to the account that has them',
    },
  };
}

/** Replaces the texts on API keys in the API document. */
export function describeSignIn(document: JsonObject, signIn: SignIn): JsonObject {
  const words = Object.entries(signInWords(signIn)).map(([code, { title, detail, advice }]) => ({
    original: problemTable[code as keyof SignInWords],
    replacement: { title, detail, advice },
  }));
  const copy = JSON.parse(JSON.stringify(document), (name, value: unknown) => {
    if (name === 'securitySchemes') return { signIn: signIn.securityScheme };
    if (name === 'security') return (value as readonly unknown[]).map(() => ({ signIn: [] }));
    if (typeof value !== 'string') return value;
    return words.reduce(
      (text, { original, replacement }) =>
        text
          .replaceAll(original.title, () => replacement.title ?? original.title)
          .replaceAll(original.detail, () => replacement.detail ?? original.detail)
          .replaceAll(original.advice, () => replacement.advice ?? original.advice),
      value,
    );
  });
  copy.components.headers['WWW-Authenticate'].example = signIn.challenge;
  return copy;
}
