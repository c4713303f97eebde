import { type AccountId, accountId, type Person, type SignInFailure } from '@pinfold/core';
import { isErasedAccount, nameOf } from '@pinfold/core/internal';
import {
  type ClaimRule,
  type Claims,
  claimAt,
  fulfils,
  namesOf,
  unfulfilled,
  withVerifiedEmails,
} from './claims.ts';

export interface PersonRules {
  readonly accountPrefix: string;
  readonly accountClaim: string;
  /** Absent: everybody whom the issuer knows. */
  readonly require?: ClaimRule | undefined;
  /** Absent: no one. */
  readonly admins?: ClaimRule | undefined;
}

const SHOWN = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

/** Decides from the claims who a person is and what they may do; the claims that count most come first. */
export function personOf(
  sub: string,
  claimSets: readonly Claims[],
  rules: PersonRules,
): { readonly kind: 'recognised'; readonly person: Person } | SignInFailure {
  const verified = withVerifiedEmails(claimSets);
  const claim = claimAt(verified, rules.accountClaim);
  const account = typeof claim === 'string' && claim !== '' ? named(rules.accountPrefix + claim) : undefined;
  const id = named(sub);
  if (account === undefined || id === undefined) {
    const detail = `the claim ${rules.accountClaim} is no text that could name an account; claims that came: ${namesOf(verified)}`;
    return { kind: 'failed', problem: 'nameless', detail };
  }
  const isAdmin = rules.admins !== undefined && fulfils(verified, rules.admins);
  const displayName = [claimAt(claimSets, 'name'), claimAt(claimSets, 'email')].find(isShown) ?? null;
  const person: Person = { account, id, displayName, scope: isAdmin ? 'admin' : 'manage' };
  const failed = rules.require === undefined ? [] : unfulfilled(verified, rules.require);
  if (failed.length > 0) {
    const detail = `not so: ${failed.join(', ')}; claims that came: ${namesOf(verified)}`;
    return { kind: 'failed', problem: 'not_allowed', detail, person };
  }
  return { kind: 'recognised', person };
}

function named(text: string): AccountId | undefined {
  try {
    const name = accountId(text);
    return isErasedAccount(name) ? undefined : name;
  } catch (error) {
    if (nameOf(error) === 'TypeError') return undefined;
    throw error;
  }
}

function isShown(claim: unknown): claim is string {
  return typeof claim === 'string' && SHOWN.test(claim) && claim.trim() !== '';
}
