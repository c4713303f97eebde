/** What a file seems to hold. */
export type SecretKind =
  | 'private_key'
  | 'aws_access_key'
  | 'github_token'
  | 'gitlab_token'
  | 'slack_token'
  | 'stripe_secret_key'
  | 'anthropic_api_key'
  | 'openai_api_key'
  | 'npm_token'
  | 'pinfold_api_key'
  /** By its name. */
  | 'secret_file';

/**
 * The forms of secrets. Each begins at a character that texts have few of, and looks back at what stands before it: so
 * a search passes over megabytes of scripts four times as fast. None takes more than linear time on any text.
 */
const FORMS: readonly (readonly [kind: Exclude<SecretKind, 'secret_file'>, form: string])[] = [
  [
    'private_key',
    // In files as lines, in JSON and scripts with the line ends escaped; a mere mention has no key behind it.
    '-----BEGIN (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY-----(?:\\s|\\\\[nr]){1,4}(?:Proc-Type|[A-Za-z0-9+/=]{16}|[A-Za-z0-9+/=\\s\\\\]{1,64}-----END)',
  ],
  ['aws_access_key', '(?<=\\bA[KS])IA[A-Z2-7]{16}\\b'],
  ['github_token', '(?<=\\bgh[opsur])_[A-Za-z0-9]{36}\\b|(?<=\\bgithub)_pat_\\w{50}'],
  ['gitlab_token', '(?<=\\bglpat)-[\\w-]{20}'],
  ['slack_token', '(?<=\\bxox[abprs])-[A-Za-z0-9-]{20}'],
  ['stripe_secret_key', '(?<=\\b[rs]k)_live_[A-Za-z0-9]{20}'],
  ['anthropic_api_key', '(?<=\\bsk)-ant-[\\w-]{40}'],
  ['openai_api_key', '(?<=\\bsk)-proj-[\\w-]{40}'],
  ['npm_token', '(?<=\\bnpm)_[A-Za-z0-9]{36}\\b'],
  ['pinfold_api_key', '(?<=\\bpf)_[A-Za-z0-9]{8,32}_[A-Za-z0-9]{40,44}\\b'],
];

const ANY = new RegExp(FORMS.map(([, form]) => `(${form})`).join('|'), 'g');

/** More of them in one file tell nothing new. */
const MOST_LOOKED_AT = 100;

/** The kinds of what in a text has the form of a secret, each once; never the secret. */
export function secretsIn(text: string): readonly SecretKind[] {
  const kinds = new Set<SecretKind>();
  let looked = 0;
  for (const [, ...found] of text.matchAll(ANY)) {
    for (const [index, [kind]] of FORMS.entries()) if (found[index] !== undefined) kinds.add(kind);
    looked += 1;
    if (looked === MOST_LOOKED_AT) break;
  }
  return [...kinds];
}
