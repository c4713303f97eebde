import { type AccountId, accountId, type Person, type SignInFailure } from '@pinfold/core';
import { isErasedAccount, nameOf } from '@pinfold/core/internal';
import {
  type ClaimRule,
  type Claims,
  claimAt,
  findUnmetConditions,
  fulfills,
  listClaimNames,
  withVerifiedEmails,
} from './claims.ts';

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
