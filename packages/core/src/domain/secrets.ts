/** The forms of secrets that are told apart by how they begin. None can take more than linear time on any text. */
const FORMS: readonly { readonly kind: string; readonly begins: RegExp; readonly form: string }[] = [
  {
    kind: 'private key',
    begins: /^-/,
    // In files as lines, in JSON and scripts with the line ends escaped; a mere mention has no key behind it.
    form: '-----BEGIN (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY-----(?:\\s|\\\\[nr]){1,4}(?:Proc-Type|[A-Za-z0-9+/=]{16}|[A-Za-z0-9+/=\\s\\\\]{1,64}-----END)',
  },
  { kind: 'AWS access key', begins: /^A/, form: '\\bA(?:KI|SI)A[A-Z2-7]{16}\\b' },
  {
    kind: 'GitHub token',
    begins: /^g(?:h|it)/,
    form: '\\bgh[opsur]_[A-Za-z0-9]{36}\\b|\\bgithub_pat_\\w{50}',
  },
  { kind: 'GitLab token', begins: /^gl/, form: '\\bglpat-[\\w-]{20}' },
  { kind: 'Slack token', begins: /^x/, form: '\\bxox[abprs]-[A-Za-z0-9-]{20}' },
  { kind: 'Stripe secret key', begins: /^[rs]k_/, form: '\\b[rs]k_live_[A-Za-z0-9]{20}' },
  { kind: 'Anthropic API key', begins: /^sk-a/, form: '\\bsk-ant-[\\w-]{40}' },
  { kind: 'OpenAI API key', begins: /^sk-p/, form: '\\bsk-proj-[\\w-]{40}' },
  { kind: 'npm token', begins: /^n/, form: '\\bnpm_[A-Za-z0-9]{36}\\b' },
  { kind: 'Pinfold API key', begins: /^p/, form: '\\bpf_[A-Za-z0-9]{8,32}_[A-Za-z0-9]{40,44}\\b' },
];

const ANY = new RegExp(FORMS.map(({ form }) => form).join('|'), 'g');

/** More of them in one file tell nothing new. */
const MOST_LOOKED_AT = 100;

/** The kinds of what in a text has the form of a secret, each once; never the secret. */
export function secretsIn(text: string): readonly string[] {
  const kinds = new Set<string>();
  let looked = 0;
  for (const [found] of text.matchAll(ANY)) {
    for (const { kind, begins } of FORMS) if (begins.test(found)) kinds.add(kind);
    looked += 1;
    if (looked === MOST_LOOKED_AT) break;
  }
  return [...kinds];
}
