import { type AccountId, accountId, type Person, type SignInFailure } from '@pinfold/core';
import { isErasedAccount, nameOf } from '@pinfold/core/internal';

/** The claims of an issuer about a person, unchecked. */
export type Claims = Readonly<Record<string, unknown>>;

/** The value at a path, in the first set of claims that has one. */
function claimAt(claimSets: readonly Claims[], path: string): unknown {
  for (const claims of claimSets) {
    const found = memberAt(claims, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Removes each email address that the issuer has not verified: anyone may have entered it. */
export function withVerifiedEmails(claimSets: readonly Claims[]): readonly Claims[] {
  return claimSets.map((claims) => {
    const verifications = claimSets
      .filter((other) => other.email === claims.email)
      .map((other) => other.email_verified);
    const known = verifications.filter((verdict) => verdict !== undefined);
    const isVerified = known.length > 0 && known.every((verdict) => verdict === true);
    if (isVerified || claims.email === undefined) return claims;
    const { email, ...others } = claims;
    return others;
  });
}

/** Walks into objects at the dots of a path. A member whose name contains dots, such as a URL, takes precedence. */
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

/** A claim must be equal to the value, or be an array that contains it. */
interface Condition {
  readonly path: string;
  readonly value: string;
}

/** Alternatives; all conditions of at least one must hold. */
export type ClaimRule = readonly (readonly Condition[])[];

const ESCAPES: Readonly<Record<string, string>> = { '%2C': ',', '%3D': '=', '%26': '&' };

/**
 * Parses a rule: `claim=value`, with commas between alternatives and `&` between conditions. A path `a.b`
 * walks into objects; `%2C`, `%3D` and `%26` stand for `,`, `=` and `&`.
 *
 * @throws TypeError if a part is not `claim=value`.
 */
export function parseClaimRule(text: string): ClaimRule {
  return text.split(',').map((alternative) => alternative.split('&').map(parseCondition));
}

export function fulfills(claimSets: readonly Claims[], rule: ClaimRule): boolean {
  return findUnmetConditions(claimSets, rule).length === 0;
}

/** The unmet conditions of all alternatives, formatted as in the rule; empty if one alternative holds. */
function findUnmetConditions(claimSets: readonly Claims[], rule: ClaimRule): readonly string[] {
  const failed = rule.map((conditions) => conditions.filter((condition) => !holds(claimSets, condition)));
  if (failed.some((conditions) => conditions.length === 0)) return [];
  return failed.flat().map(({ path, value }) => `${escapeSigns(path)}=${escapeSigns(value)}`);
}

function holds(claimSets: readonly Claims[], { path, value }: Condition): boolean {
  return [claimAt(claimSets, path)].flat().some((claim) => equalsText(claim, value));
}

const MAX_NAMES = 40;
const MAX_NAME_LENGTH = 64;

/** The names of the received claims, without their values, for a message. */
export function listClaimNames(claimSets: readonly Claims[]): string {
  const names = [...new Set(claimSets.flatMap((claims) => Object.keys(claims)))];
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH));
  return shown.sort().join(', ') + (names.length > MAX_NAMES ? ', …' : '');
}

function parseCondition(text: string): Condition {
  const [, path = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text)?.map((part) => part.trim()) ?? [];
  if (path === '' || value === '') {
    throw new TypeError('must be claim=value, with commas between alternatives and & between conditions');
  }
  return { path: unescapeSigns(path), value: unescapeSigns(value) };
}

function escapeSigns(text: string): string {
  return text.replaceAll(/[,=&]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function unescapeSigns(text: string): string {
  return text.replaceAll(/%(?:2C|3D|26)/gi, (code) => ESCAPES[code.toUpperCase()] ?? code);
}

/** Compares a claim with the text of a rule; issuers send booleans and numbers without quotes. */
function equalsText(found: unknown, value: string): boolean {
  return ['string', 'number', 'boolean'].includes(typeof found) && String(found) === value;
}

export interface PersonRules {
  readonly accountPrefix: string;
  readonly accountClaim: string;
  /** Absent: everyone whom the issuer knows may sign in. */
  readonly require?: ClaimRule | undefined;
  /** Absent: no one. */
  readonly admins?: ClaimRule | undefined;
}

const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

/** Determines from the claims who a person is and whether they may sign in. Earlier sets of claims take precedence. */
export function identifyPerson(
  sub: string,
  claimSets: readonly Claims[],
  rules: PersonRules,
): { readonly kind: 'recognized'; readonly person: Person } | SignInFailure {
  const verified = withVerifiedEmails(claimSets);
  const claim = claimAt(verified, rules.accountClaim);
  const account =
    typeof claim === 'string' && claim !== '' ? parseName(rules.accountPrefix + claim) : undefined;
  const id = parseName(sub);
  if (account === undefined || id === undefined) {
    const detail = `the claim ${rules.accountClaim} is not a text that can name an account; received claims: ${listClaimNames(verified)}`;
    return { kind: 'failed', problem: 'nameless', detail };
  }
  const isAdmin = rules.admins !== undefined && fulfills(verified, rules.admins);
  const displayName = [claimAt(claimSets, 'name'), claimAt(claimSets, 'email')].find(isPrintable) ?? null;
  const person: Person = { account, id, displayName, scope: isAdmin ? 'admin' : 'manage' };
  const failed = rules.require === undefined ? [] : findUnmetConditions(verified, rules.require);
  if (failed.length > 0) {
    const detail = `unmet conditions: ${failed.join(', ')}; received claims: ${listClaimNames(verified)}`;
    return { kind: 'failed', problem: 'not_allowed', detail, person };
  }
  return { kind: 'recognized', person };
}

function parseName(text: string): AccountId | undefined {
  try {
    const name = accountId(text);
    return isErasedAccount(name) ? undefined : name;
  } catch (error) {
    if (nameOf(error) === 'TypeError') return undefined;
    throw error;
  }
}

function isPrintable(claim: unknown): claim is string {
  return typeof claim === 'string' && PRINTABLE.test(claim) && claim.trim() !== '';
}
