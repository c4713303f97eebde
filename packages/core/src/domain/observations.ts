/** A reference to another file that a page makes. */
export interface Reference {
  /** The attribute's value, entities resolved as far as URLs need it. */
  readonly target: string;
  /** Whether following it is a navigation (a link), rather than loading a part of the page. */
  readonly navigation: boolean;
}

/** What was seen in one file of a site. */
export interface Observation {
  readonly references: readonly Reference[];
  /** The kinds of secret that the file seems to hold, by name; never the secret. */
  readonly secrets: readonly string[];
}

const NOTHING: Observation = { references: [], secrets: [] };
const MAX_REFERENCES = 500;
const TAG = /<(a|area|link|script|img|iframe|source|video|audio|track|embed|input|base)\b([^>]{0,4000})>/gi;
const ATTRIBUTE = /\s(href|src|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const HTML = /\.html?$/i;
const BINARY =
  /\.(?:png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|mp[34]|m4a|webm|ogg|wasm|pdf|zip|gz|br)$/i;

const SECRETS: readonly { readonly kind: string; readonly hint: string; readonly form: RegExp }[] = [
  {
    kind: 'private key',
    hint: 'PRIVATE KEY-----',
    form: /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----\s+[A-Za-z0-9+/=:,\s-]{40}/,
  },
  { kind: 'AWS access key', hint: 'AKIA', form: /\bAKIA[A-Z2-7]{16}\b/ },
  { kind: 'GitHub token', hint: 'gh', form: /\bgh[opsur]_[A-Za-z0-9]{36}\b/ },
  { kind: 'GitHub token', hint: 'github_pat_', form: /\bgithub_pat_[A-Za-z0-9_]{50}/ },
  { kind: 'GitLab token', hint: 'glpat-', form: /\bglpat-[A-Za-z0-9_-]{20}/ },
  { kind: 'Slack token', hint: 'xox', form: /\bxox[abprs]-[A-Za-z0-9-]{20}/ },
  { kind: 'Stripe secret key', hint: '_live_', form: /\b[rs]k_live_[A-Za-z0-9]{20}/ },
  { kind: 'npm token', hint: 'npm_', form: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { kind: 'Pinfold API key', hint: 'pf_', form: /\bpf_[A-Za-z0-9]{8,32}_[A-Za-z0-9]{40,44}\b/ },
];

/** Whether {@link observe} can see anything in a file of that path, so that others need not be decoded. */
export function isObservable(path: string): boolean {
  return !BINARY.test(path);
}

/** Looks through a file's text for references (in HTML) and for what seems a secret. */
export function observe(path: string, text: string): Observation {
  if (!isObservable(path)) return NOTHING;
  const secrets = secretsIn(text);
  const references = HTML.test(path) ? referencesIn(text) : [];
  return secrets.length === 0 && references.length === 0 ? NOTHING : { references, secrets };
}

function secretsIn(text: string): readonly string[] {
  const found = SECRETS.filter(({ hint, form }) => text.includes(hint) && form.test(text));
  return [...new Set(found.map(({ kind }) => kind))];
}

/** A page with a base element says itself that its references lead elsewhere: nothing is judged then. */
function referencesIn(html: string): readonly Reference[] {
  const references: Reference[] = [];
  const seen = new Set<string>();
  for (const [, tag = '', attributes = ''] of withoutComments(html).matchAll(TAG)) {
    const name = tag.toLowerCase();
    if (name === 'base' && /\shref\s*=/i.test(attributes)) return [];
    for (const [, , double, single, bare] of ` ${attributes}`.matchAll(ATTRIBUTE)) {
      const target = (double ?? single ?? bare ?? '').trim().replaceAll('&amp;', '&');
      if (target === '' || seen.has(target)) continue;
      seen.add(target);
      references.push({ target, navigation: name === 'a' || name === 'area' || name === 'iframe' });
      if (references.length === MAX_REFERENCES) return references;
    }
  }
  return references;
}

function withoutComments(html: string): string {
  let kept = '';
  let from = 0;
  for (let start = html.indexOf('<!--'); start !== -1; start = html.indexOf('<!--', from)) {
    kept += html.slice(from, start);
    const end = html.indexOf('-->', start);
    if (end === -1) return kept;
    from = end + 3;
  }
  return kept + html.slice(from);
}
