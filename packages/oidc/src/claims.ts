/** The claims of an issuer about a person, unchecked. */
export type Claims = Readonly<Record<string, unknown>>;

/** The value at a path, from the first set of claims that has one. */
export function claimAt(claimSets: readonly Claims[], path: string): unknown {
  for (const claims of claimSets) {
    const found = memberAt(claims, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Without each address that the issuer has not verified: anybody may have written it. */
export function withVerifiedEmails(claimSets: readonly Claims[]): readonly Claims[] {
  return claimSets.map((claims) => {
    const { email, ...others } = claims;
    const verdicts = claimSets.filter((one) => one.email === email).map((one) => one.email_verified);
    const stated = verdicts.filter((verdict) => verdict !== undefined);
    return stated.length > 0 && stated.every((verdict) => verdict === true) ? claims : others;
  });
}

/** Walks into objects at the dots. A name that has dots itself, as a URL has, comes before the walk. */
function memberAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const members = value as Claims;
  if (Object.hasOwn(members, path)) return members[path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const found = Object.hasOwn(members, name) ? memberAt(members[name], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** One thing that must hold: a claim that is equal to a text, or an array that has it. */
interface Condition {
  readonly path: string;
  readonly value: string;
}

/** Alternatives, of each of which all conditions hold together. */
export type ClaimRule = readonly (readonly Condition[])[];

const ESCAPES: Readonly<Record<string, string>> = { '%2C': ',', '%3D': '=', '%26': '&' };

/**
 * Reads a rule: `claim=value`, with commas between alternatives and `&` between what must hold together. A path `a.b`
 * walks into objects; `%2C`, `%3D` and `%26` stand for `,`, `=` and `&`.
 *
 * @throws TypeError when a part is no `claim=value`.
 */
export function parseClaimRule(text: string): ClaimRule {
  return text.split(',').map((alternative) => alternative.split('&').map(parseCondition));
}

export function fulfils(claimSets: readonly Claims[], rule: ClaimRule): boolean {
  return unfulfilled(claimSets, rule).length === 0;
}

/** The conditions that do not hold, of each alternative, as the rule has them; none where one alternative holds. */
export function unfulfilled(claimSets: readonly Claims[], rule: ClaimRule): readonly string[] {
  const failed = rule.map((conditions) => conditions.filter((condition) => !holds(claimSets, condition)));
  if (failed.some((conditions) => conditions.length === 0)) return [];
  return failed.flat().map(({ path, value }) => `${escaped(path)}=${escaped(value)}`);
}

function holds(claimSets: readonly Claims[], { path, value }: Condition): boolean {
  return [claimAt(claimSets, path)].flat().some((one) => isText(one, value));
}

const MAX_NAMES = 40;
const MAX_NAME_LENGTH = 64;

/** The names of the claims that came, for people, without their values. */
export function namesOf(claimSets: readonly Claims[]): string {
  const names = [...new Set(claimSets.flatMap((claims) => Object.keys(claims)))].sort();
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH));
  return shown.join(', ') + (names.length > MAX_NAMES ? ', …' : '');
}

function parseCondition(text: string): Condition {
  const [, path = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text)?.map((part) => part.trim()) ?? [];
  if (path === '' || value === '') {
    throw new TypeError(
      'must be claim=value, with commas between alternatives and & between what holds together',
    );
  }
  return { path: unescaped(path), value: unescaped(value) };
}

function escaped(text: string): string {
  return text.replaceAll(/[,=&]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function unescaped(text: string): string {
  return text.replaceAll(/%(?:2C|3D|26)/gi, (code) => ESCAPES[code.toUpperCase()] ?? code);
}

/** Issuers write what is true, and numbers, as they are. */
function isText(found: unknown, value: string): boolean {
  return ['string', 'number', 'boolean'].includes(typeof found) && String(found) === value;
}
